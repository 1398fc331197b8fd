/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.hdfs.DFSConfigKeys;

import java.io.IOException;
import java.net.BindException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Restarts and failovers of a cluster's NameNodes. One thread at a time. */
public final class ClusterNameNodes {
  private static final int MAX_STARTS = 60;

  private final DayuCluster cluster;

  ClusterNameNodes(DayuCluster cluster) {
    this.cluster = cluster;
  }

  public void restart() throws IOException {
    int index = cluster.active();
    restart(index);
    if (cluster.mini().getNumNameNodes() > 1) {
      cluster.mini().transitionToActive(index);
    }
    cluster.blockReports().awaitHeartbeats();
    cluster.mini().waitActive(index);
  }

  /** While it is down, another process may take its port, which DataNodes and clients know: then waits for that. */
  private void restart(int index) throws IOException {
    for (int start = 1;; start++) {
      try {
        cluster.mini().restartNameNode(index, false);
        return;
      } catch (BindException e) {
        if (start == MAX_STARTS) {
          throw e;
        }
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
      }
    }
  }

  /**
   * Restarts the only NameNode, which leaves safe mode when all DataNodes have sent a full block report. Else it counts
   * replicas that are only reported later as lost.
   */
  public void restartAfterAllBlockReports(Duration limit) throws Exception {
    cluster.mini().getConfiguration(0).set(DFSConfigKeys.DFS_NAMENODE_SAFEMODE_THRESHOLD_PCT_KEY, "1.5");
    restart(0);
    leaveSafeMode(limit);
  }

  /**
   * Ends the active NameNode's safe mode, as an admin would, when all running DataNodes have reported: it does not end
   * by itself where only dead ones have replicas of a block.
   */
  public void leaveSafeMode(Duration limit) throws Exception {
    cluster.blockReports().awaitFirst(limit);
    cluster.fileSystem().setSafeMode(SafeModeAction.LEAVE);
  }

  /** Makes the standby NameNode the active one. */
  public void failover() throws IOException {
    int from = cluster.active();
    int to = 1 - from;
    cluster.mini().transitionToStandby(from);
    cluster.mini().transitionToActive(to);
    cluster.mini().waitActive(to);
  }
}
