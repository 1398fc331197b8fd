/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockKey;
import io.dayu.namenode.planning.FailedCopies.FailedCopy;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** How much is kept. */
class FailedCopiesTest {
  private final FailedCopies copies = new FailedCopies();

  private void fail(long block, String reason) {
    copies.add(new BlockKey(block, 1), new FailedCopy("t", List.of("s"), reason, 0));
  }

  private List<String> reasons(long block) {
    return copies.of(new BlockKey(block, 1)).stream().map(FailedCopy::reason).toList();
  }

  @Test
  void ofABlock_theLastThreeAreKept() {
    for (String reason : List.of("a", "b", "c", "d")) {
      fail(7, reason);
    }
    assertEquals(List.of("b", "c", "d"), reasons(7));
  }

  @Test
  void ofMoreThanTenThousandBlocks_thoseThatFailedLastAreKept() {
    for (long block = 0; block < 10_000; block++) {
      fail(block, "a");
    }
    fail(0, "b");
    fail(10_000, "a");
    assertEquals(List.of("a", "b"), reasons(0));
    assertEquals(List.of(), reasons(1));
    assertEquals(List.of("a"), reasons(2));
  }

  @Test
  void longReason_isCutOff() {
    fail(7, "a line\nand another");
    assertEquals(List.of("a line and another"), reasons(7));
    fail(8, "x".repeat(4_096));
    assertEquals(List.of("x".repeat(200) + "..."), reasons(8));
  }
}
