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
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** A NameNode whose checks of heartbeats never get to a DataNode. */
class DeclareDeadTest {
  private final BlockManager blocks = mock(BlockManager.class, RETURNS_DEEP_STUBS);
  private final DatanodeDescriptor node = DFSTestUtil.getLocalDatanodeDescriptor();

  @Test
  void nodeThatStaysAlive_isNamed() {
    node.setAlive(true);
    when(blocks.getDatanodeManager().getDatanode(node.getDatanodeUuid())).thenReturn(null);
    AssertionError error = assertThrows(AssertionError.class, () -> DeadDataNodes.declare(blocks, node));
    assertTrue(error.getMessage().contains("takes " + node + " (" + node.getDatanodeUuid() + ") for alive: it is "
        + "In Service, has sent no heartbeat since, and this UUID is registered as null"), error::getMessage);
  }

  @Test
  void inSafeMode_nothingIsDeclaredDead() {
    node.setAlive(true);
    when(blocks.isInSafeMode()).thenReturn(true);
    DeadDataNodes.declare(blocks, node);
    assertTrue(node.isAlive());
  }
}
