/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.CommitResult;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.TransferRequest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

import java.util.List;

import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.CELL;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.ON_RACK;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.RS_3_2;
import static org.apache.hadoop.hdfs.server.blockmanagement.GroupCluster.has;

/**
 * Registrations of transfers of erasure-coded groups, on a real BlockManager that each subclass has of its own. Groups
 * have an internal block on each of five racks, and nothing on the others.
 */
abstract class GroupCommitFixture {
  static final int RACKS = 10;
  static final long BYTES = 6L * CELL;
  /** Where index i is. */
  static final int[] AT = {0, ON_RACK, 2 * ON_RACK, 3 * ON_RACK, 4 * ON_RACK};
  static final int FREE = 5 * ON_RACK;
  static final int FREE_TOO = 6 * ON_RACK;

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
    cluster.access.setRecoversGroups(true);
    cluster.access.liveNodes();
  }

  /** A group that lacks these. */
  static BlockInfoStriped lacking(Integer... lost) throws Exception {
    int[] holders = AT.clone();
    for (int index : lost) {
      holders[index] = -1;
    }
    return cluster.add(RS_3_2, BYTES, holders);
  }

  static IndexedNode at(int index) {
    return has(index, AT[index]);
  }

  static CommitResult commit(TransferRequest request) {
    return cluster.access.commit(List.of(request), () -> true).get(0);
  }

  static CommitResult adopt(TransferRequest request) {
    return cluster.access.adopt(List.of(request)).get(0);
  }

  static PendingCheck check(TransferRequest request) {
    return cluster.access.check(List.of(request)).get(0);
  }

  static void unregister(TransferRequest request) {
    cluster.access.unregister(List.of(request));
  }

  static TransferRequest with(TransferRequest request, GroupTransfer group) {
    return new TransferRequest(request.block(), request.numBytes(), request.risk(), request.source(),
        request.target(), request.storageTypes(), group);
  }
}
