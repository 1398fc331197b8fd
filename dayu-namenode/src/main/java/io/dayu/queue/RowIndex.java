/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.queue;

import java.util.Arrays;

/**
 * Finds the row of a {@link BlockTable} by the row's id: a hash table with open addressing and linear probing, without
 * boxing. The ids stay in the caller's rows, which each call gets, since they may have grown. Not thread-safe.
 */
final class RowIndex {
  private static final int NONE = -1;

  private int size;
  private int[] table = new int[32];

  RowIndex() {
    Arrays.fill(table, NONE);
  }

  void clear() {
    size = 0;
    Arrays.fill(table, NONE);
  }

  private int place(long id) {
    return (int) (id * 0x9E3779B97F4A7C15L >>> 33) & table.length - 1;
  }

  /** The row with this id, or -1. */
  int find(long id, long[] cells) {
    for (int at = place(id); table[at] != NONE; at = at + 1 & table.length - 1) {
      if (cells[BlockTable.CELLS * table[at]] == id) {
        return table[at];
      }
    }
    return NONE;
  }

  /** Adds a row whose id no other row has. */
  void add(int row, long[] cells) {
    if (4L * (size + 1) > 3L * table.length) {
      int[] before = table;
      table = new int[2 * before.length];
      Arrays.fill(table, NONE);
      for (int other : before) {
        if (other != NONE) {
          insert(other, cells);
        }
      }
    }
    insert(row, cells);
    size++;
  }

  private void insert(int row, long[] cells) {
    int at = place(cells[BlockTable.CELLS * row]);
    while (table[at] != NONE) {
      at = at + 1 & table.length - 1;
    }
    table[at] = row;
  }

  /** Removes a row that was added, and moves those behind it up so that no search ends too early. */
  void remove(int row, long[] cells) {
    int mask = table.length - 1;
    int hole = place(cells[BlockTable.CELLS * row]);
    while (table[hole] != row) {
      hole = hole + 1 & mask;
    }
    table[hole] = NONE;
    size--;
    for (int at = hole + 1 & mask; table[at] != NONE; at = at + 1 & mask) {
      int wanted = place(cells[BlockTable.CELLS * table[at]]);
      if ((at - wanted & mask) >= (at - hole & mask)) {
        table[hole] = table[at];
        table[at] = NONE;
        hole = at;
      }
    }
  }
}
