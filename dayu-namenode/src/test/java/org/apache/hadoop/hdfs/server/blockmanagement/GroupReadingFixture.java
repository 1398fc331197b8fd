/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.InternalBlock;
import io.dayu.blocks.WaitingBlock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

import java.util.List;

import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.CELL;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.ON_RACK;

/** Erasure-coded groups that tests read as the planner does: one cluster of eight racks for all tests of a class. */
abstract class GroupReadingFixture {
  static final int RACKS = 8;
  /** Of a group: two stripes of RS-3-2, one of RS-6-3. */
  static final long BYTES = 6L * CELL;

  static GroupCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = new GroupCluster(RACKS);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @AfterEach
  void backInService() {
    cluster.backInService();
  }

  /** The first node of a rack. */
  static int rack(int number) {
    return number * ON_RACK;
  }

  /** The indices that a group needs. */
  static List<Integer> wanted(WaitingBlock block) {
    return block.group().wanted().stream().map(InternalBlock::index).toList();
  }
}
