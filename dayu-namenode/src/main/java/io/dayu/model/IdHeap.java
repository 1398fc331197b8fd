/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.model;

/**
 * A binary heap of dense ids, least key first and among equal keys the lowest id first, built in O(n), as ATC'19 §4.2
 * wants it. Not thread-safe; arrays are sized once and reused.
 */
public final class IdHeap {
  private long[] keys = new long[0];
  private int[] heap = new int[0];
  private int size;

  /** Empties the heap and makes room for ids 0 to {@code count} - 1. */
  public void reset(int count) {
    if (heap.length < count) {
      keys = new long[count];
      heap = new int[count];
    }
    size = 0;
  }

  /** Adds an id, out of order: {@link #heapify} before the first {@link #pop}. */
  public void append(int id, long key) {
    keys[id] = key;
    heap[size++] = id;
  }

  public void heapify() {
    for (int i = size / 2 - 1; i >= 0; i--) {
      siftDown(i);
    }
  }

  public int size() {
    return size;
  }

  /** Removes and returns the id with the least key. */
  public int pop() {
    int first = heap[0];
    heap[0] = heap[--size];
    siftDown(0);
    return first;
  }

  /** The id with the least key. */
  public int first() {
    return heap[0];
  }

  public long firstKey() {
    return keys[heap[0]];
  }

  /** Gives the first id a key that is not less than its present one. */
  public void raiseFirst(long key) {
    keys[heap[0]] = key;
    siftDown(0);
  }

  private void siftDown(int from) {
    int id = heap[from];
    int at = from;
    for (int child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && less(heap[child + 1], heap[child])) {
        child++;
      }
      if (!less(heap[child], id)) {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = id;
  }

  private boolean less(int a, int b) {
    return keys[a] < keys[b] || keys[a] == keys[b] && a < b;
  }
}
