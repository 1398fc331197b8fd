/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.model;

import java.util.Arrays;

/** A list of ints that grows as needed, without boxes; it may be cleared and used again. Not thread-safe. */
public final class IntList {
  private int[] values = new int[16];
  private int size;

  public void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, size * 2);
    }
    values[size++] = value;
  }

  public int get(int index) {
    return values[index];
  }

  public void set(int index, int value) {
    values[index] = value;
  }

  public int size() {
    return size;
  }

  public void clear() {
    size = 0;
  }

  /** A copy of the values. */
  public int[] toArray() {
    return Arrays.copyOf(values, size);
  }
}
