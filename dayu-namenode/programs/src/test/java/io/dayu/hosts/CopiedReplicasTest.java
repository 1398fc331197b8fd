/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;

class CopiedReplicasTest {
  private final CopiedReplicas copied = new CopiedReplicas();

  private static FsckBlock block(String id, String... addresses) {
    return new FsckBlock(id, addresses.length, 3, 1,
        Arrays.stream(addresses).collect(Collectors.toMap(Function.identity(), address -> id)));
  }

  private void look(FsckBlock... blocks) {
    copied.look(Arrays.asList(blocks));
  }

  @Test
  void copyOnAnotherNode_counts() {
    look(block("blk_1", "a", "b", "c"), block("blk_2", "a", "b", "c"));
    look(block("blk_1", "b", "c"), block("blk_2", "c"));
    look(block("blk_1", "b", "c", "d"), block("blk_2", "c", "e"));
    assertEquals(2, copied.copies());
    look(block("blk_1", "b", "c", "d"), block("blk_2", "c", "d", "e"));
    assertEquals(3, copied.copies());
  }

  @Test
  void replicaThatComesBack_isNoCopy() {
    look(block("blk_1", "a", "b", "c"));
    look(block("blk_1", "b", "c"));
    look(block("blk_1", "a", "b", "c"));
    assertEquals(0, copied.copies());
  }

  @Test
  void lateReplicaOfAPipeline_isNoCopy() {
    look(block("blk_1", "a", "b"));
    look(block("blk_1", "a", "b", "c"));
    assertEquals(0, copied.copies());
  }

  @Test
  void blockThatWasDeleted_isForgotten() {
    look(block("blk_1", "a", "b", "c"));
    look(block("blk_1", "b", "c"));
    copied.look(List.of());
    look(block("blk_1", "b", "c", "d"));
    assertEquals(0, copied.copies());
  }
}
