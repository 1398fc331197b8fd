/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;

/** Has NameNodes take a DataNode that has ended for dead, long before HDFS would. Stateless. */
public final class DeadDataNodes {
  private static final int MAX_LOOKS = 100;

  private DeadDataNodes() {
  }

  /**
   * Lets a NameNode declare a stopped DataNode dead at once, unless it is in safe mode since its start. HDFS's check
   * ends without that if it takes longer than the recheck interval, or if the NameNode gets to a heartbeat of before
   * only now.
   *
   * @throws AssertionError if the DataNode stays alive; the message says what the NameNode knows of it
   */
  public static void declare(BlockManager blocks, DatanodeDescriptor node) {
    for (int look = 0; node.isAlive() && look < MAX_LOOKS; look++) {
      DFSTestUtil.setDatanodeDead(node);
      BlockManagerTestUtil.checkHeartbeat(blocks);
    }
    if (node.isAlive() && !blocks.isInSafeMode()) {
      throw new AssertionError("after " + MAX_LOOKS + " looks the NameNode still takes " + node + " ("
          + node.getDatanodeUuid() + ") for alive: it is " + node.getAdminState()
          + (node.getLastUpdate() == 0 ? ", has sent no heartbeat since" : ", has sent a heartbeat since")
          + ", and this UUID is registered as " + blocks.getDatanodeManager().getDatanode(node.getDatanodeUuid()));
    }
  }
}
