/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.NetworkTopology;

/** Prefers emptier nodes and leaves out busy ones, in a MiniDFSCluster too, which turns the setting for these off. */
public final class SpaceAndLoadPolicy extends AvailableSpaceBlockPlacementPolicy {
  @Override
  public void initialize(Configuration conf, FSClusterStats stats, NetworkTopology topology, Host2NodesMap nodes) {
    super.initialize(conf, stats, topology, nodes);
    considerLoad = true;
  }

  /** Sets whether new blocks are kept from busy nodes. */
  public void considerLoad(boolean value) {
    considerLoad = value;
  }
}
