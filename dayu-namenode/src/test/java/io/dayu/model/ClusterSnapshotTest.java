/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.model;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Every wrong number in a snapshot is refused with the name of its field. */
class ClusterSnapshotTest {

  /** A snapshot of two nodes, one block and one running transfer, with the value at {@code field} replaced. */
  private static ClusterSnapshot snapshot(String field, long value) {
    long[] in = {5, value(field, "recoverInBytesPerSec[1]", value, 5)};
    long[] out = {5, value(field, "recoverOutBytesPerSec[1]", value, 5)};
    int[] rack = {0, (int) value(field, "rack[1]", value, 1)};
    int[] maxIncoming = {1, (int) value(field, "maxIncoming[1]", value, 1)};
    int[] maxOutgoing = {1, (int) value(field, "maxOutgoing[1]", value, 1)};
    long[][] room = {{9, 9}, {9, value(field, "roomBytes[1][1]", value, 9)}};
    NodeTable nodes = new NodeTable(in, out, rack, 2, new boolean[2], maxIncoming, maxOutgoing, room);
    TaskTable tasks = new TaskTable(new long[] {value(field, "sizeBytes[0]", value, 8)},
        new int[] {(int) value(field, "risk[0]", value, 0)}, new int[] {(int) value(field, "copies[0]", value, 1)},
        row(value(field, "sources[0]", value, 0)), row(value(field, "excludedTargets[0]", value, 0)),
        row(value(field, "forbiddenFaultDomains[0]", value, 0)), new boolean[1],
        new int[] {(int) value(field, "storageTypes[0]", value, 3)});
    RunningTable running = new RunningTable(new int[] {(int) value(field, "running.task[0]", value, 0)},
        new int[] {(int) value(field, "running.source[0]", value, 0)},
        new int[] {(int) value(field, "running.target[0]", value, 1)},
        new long[] {value(field, "running.doneBytes[0]", value, 8)},
        new long[] {value(field, "rateBytesPerSec[0]", value, 5)});
    PlanningParameters parameters = new PlanningParameters(value(field, "timeslotMs", value, 3000),
        value(field, "horizonMs", value, 6000), value(field, "bucketBytesPerSec", value, 0),
        field.equals("underemployedRatio") ? Double.longBitsToDouble(value) : 0.05, true,
        field.equals("evictionFactor") ? Double.longBitsToDouble(value) : 1.3,
        value(field, "minTimeslotMs", value, 1000));
    return new ClusterSnapshot(parameters, value(field, "leadMs", value, 1000), nodes, tasks, running);
  }

  private static long value(String field, String name, long value, long usual) {
    return field.equals(name) ? value : usual;
  }

  private static IntRows row(long value) {
    return new IntRows.Builder().add((int) value).endRow().build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"recoverInBytesPerSec[1]", "recoverOutBytesPerSec[1]", "rack[1]", "maxIncoming[1]",
      "maxOutgoing[1]", "roomBytes[1][1]", "sizeBytes[0]", "risk[0]", "copies[0]", "sources[0]", "excludedTargets[0]",
      "forbiddenFaultDomains[0]", "storageTypes[0]", "running.task[0]", "running.source[0]", "running.target[0]",
      "running.doneBytes[0]", "rateBytesPerSec[0]", "timeslotMs", "horizonMs", "minTimeslotMs", "bucketBytesPerSec",
      "leadMs"})
  void negativeValue_isRefusedByName(String field) {
    assertRefused(field, -2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"recoverInBytesPerSec[1]", "recoverOutBytesPerSec[1]", "sizeBytes[0]", "rateBytesPerSec[0]",
      "running.doneBytes[0]"})
  void overflowingValue_isRefusedByName(String field) {
    assertRefused(field, Long.MAX_VALUE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"rack[1]", "risk[0]", "sources[0]", "excludedTargets[0]", "forbiddenFaultDomains[0]",
      "storageTypes[0]", "running.task[0]", "running.source[0]", "running.target[0]", "running.doneBytes[0]"})
  void unknownIndex_isRefusedByName(String field) {
    assertRefused(field, 9);
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, -0.1, 1.1, Double.POSITIVE_INFINITY})
  void ratioOutsideZeroToOne_isRefusedByName(double ratio) {
    assertRefused("underemployedRatio", Double.doubleToLongBits(ratio));
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, -0.1, 100.1})
  void evictionFactorOutsideItsBounds_isRefusedByName(double factor) {
    assertRefused("evictionFactor", Double.doubleToLongBits(factor));
  }

  private static void assertRefused(String field, long value) {
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> snapshot(field, value));
    assertTrue(refused.getMessage().startsWith(field + " "), refused.getMessage());
  }

  @Test
  void sumOfSizes_thatWouldOverflow_isRefusedByName() {
    int count = 2000;
    long[] sizes = new long[count];
    Arrays.fill(sizes, TaskTable.MAX_SIZE_BYTES);
    IntRows.Builder empty = new IntRows.Builder();
    for (int i = 0; i < count; i++) {
      empty.endRow();
    }
    IntRows rows = empty.build();
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> new TaskTable(sizes,
        new int[count], new int[count], rows, rows, rows, new boolean[count], new int[count]));
    assertTrue(refused.getMessage().startsWith("sizeBytes"), refused.getMessage());
  }

  @Test
  void columnOfAnotherLength_isRefusedByName() {
    IntRows rows = row(0);
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
        () -> new TaskTable(new long[1], new int[2], new int[1], rows, rows, rows, new boolean[1], new int[1]));
    assertEquals("risk has 2 entries, expected 1", refused.getMessage());
  }

  @Test
  void usualSnapshot_isAccepted() {
    assertEquals(2, snapshot("none", 0).nodes().count());
  }
}
