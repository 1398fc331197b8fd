/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.queue;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;

class RowIndexTest {
  private static final long SEED = 20;
  private static final int ROWS = 2_000;
  private static final int STEPS = 50_000;

  private final RowIndex index = new RowIndex();
  private final long[] cells = new long[BlockTable.CELLS * ROWS];

  @Test
  void index_findsWhatAMapFinds_whateverIsAddedAndRemoved() {
    Random random = new Random(SEED);
    Map<Long, Integer> rows = new HashMap<>();
    List<Integer> free = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      free.add(row);
    }
    for (int step = 0; step < STEPS; step++) {
      // Few different ids, so that they are met again, and neighbours, as block ids are.
      long id = random.nextInt(2 * ROWS);
      Integer row = rows.get(id);
      assertEquals(row == null ? -1 : row, index.find(id, cells), () -> "id " + id + ", seed " + SEED);
      if (row != null) {
        rows.remove(id);
        index.remove(row, cells);
        free.add(row);
      } else if (!free.isEmpty()) {
        row = free.remove(free.size() - 1);
        cells[BlockTable.CELLS * row] = id;
        index.add(row, cells);
        rows.put(id, row);
      }
    }
    rows.forEach((id, row) -> assertEquals(row, index.find(id, cells), () -> "id " + id + ", seed " + SEED));
    index.clear();
    rows.keySet().forEach(id -> assertEquals(-1, index.find(id, cells), () -> "id " + id + ", seed " + SEED));
  }
}
