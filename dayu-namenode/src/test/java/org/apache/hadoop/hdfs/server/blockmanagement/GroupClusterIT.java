/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@link GroupCluster}: two of them at once. */
@Tag("harness")
class GroupClusterIT {
  /** A NameNode without its directories goes into safe mode, and tells no DataNode any more to delete anything. */
  @Test
  void clusterThatIsClosed_leavesTheDirectoriesOfAnother() throws Exception {
    try (GroupCluster cluster = new GroupCluster(1)) {
      try (GroupCluster other = new GroupCluster(1)) {
        assertTrue(other.hasDirectories());
      }
      assertTrue(cluster.hasDirectories());
    }
  }
}
