/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.transfer.MiniGroupCluster.Group;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.test.MetricsAsserts;
import org.junit.jupiter.api.Test;

import static io.dayu.datanode.transfer.MiniGroupCluster.CELL;
import static io.dayu.datanode.transfer.MiniGroupCluster.FAST;
import static io.dayu.datanode.transfer.MiniGroupCluster.grant;
import static io.dayu.datanode.transfer.MiniGroupCluster.sources;
import static io.dayu.datanode.transfer.MiniGroupCluster.withCodec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** HDFS's settings that rebuilds keep: limits of an admin, tokens and encryption, validation. */
class RebuildSettingsIT {
  private static final long SEED = 20261127;

  /** Starts a rebuild of index 1 that is expected to succeed; returns how long it takes. */
  private static double rebuildSeconds(MiniGroupCluster cluster, Group group) throws Exception {
    DataNode target = cluster.free(group);
    TransferService service = cluster.service(target);
    new DataNodeAccess(target).setReconstructionReadThrottler(target.getEcReconstuctReadThrottler());
    GrantProto grant = grant(group, 1, sources(cluster.shuffled(group, 1)), FAST);
    long beganNs = System.nanoTime();
    cluster.apply(service, grant);
    cluster.end(service, grant);
    double seconds = (System.nanoTime() - beganNs) / 1e9;
    cluster.assertRebuilt(service, target, group, 1, grant);
    return seconds;
  }

  /** Stock's limits are those of the node: reads count for each source, writes once. */
  @Test
  void adminsLimitOfReads_isKept() throws Exception {
    try (MiniGroupCluster cluster = new MiniGroupCluster(6, SEED,
        conf -> conf.setLong(DFSConfigKeys.DFS_DATANODE_EC_RECONSTRUCT_READ_BANDWIDTHPERSEC_KEY, 2 << 20))) {
      Group group = cluster.write("RS-3-2-1024k", 6 * CELL);
      DataNode target = cluster.free(group);
      // As the agent does.
      StockReconstructions reconstructions = new StockReconstructions(PullCluster.shaper());
      ReconstructionReadThrottler.install(new DataNodeAccess(target), reconstructions);
      double seconds = rebuildSeconds(cluster, group);
      assertTrue(seconds > 1.5, "6 MB in " + seconds + " s");
      cluster.assertNothingLeaks();
    }
  }

  @Test
  void adminsLimitOfWrites_isKept() throws Exception {
    try (MiniGroupCluster cluster = new MiniGroupCluster(6, SEED,
        conf -> conf.setLong(DFSConfigKeys.DFS_DATANODE_EC_RECONSTRUCT_WRITE_BANDWIDTHPERSEC_KEY, 1 << 20))) {
      double seconds = rebuildSeconds(cluster, cluster.write("RS-3-2-1024k", 6 * CELL));
      assertTrue(seconds > 1, "2 MB in " + seconds + " s");
      cluster.assertNothingLeaks();
    }
  }

  @Test
  void tokensAndEncryption_areThoseOfEachInternalBlock() throws Exception {
    try (MiniGroupCluster cluster = new MiniGroupCluster(6, SEED, conf -> {
      conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
      conf.setBoolean(DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY, true);
    })) {
      rebuildSeconds(cluster, cluster.write("RS-3-2-1024k", 4 * CELL + 12_345));
      cluster.assertNothingLeaks();
    }
  }

  @Test
  void coderThatFlipsABit_isFoundByValidation() throws Exception {
    try (MiniGroupCluster cluster = new MiniGroupCluster(6, SEED,
        conf -> conf.setBoolean(DFSConfigKeys.DFS_DN_EC_RECONSTRUCTION_VALIDATION_KEY, true))) {
      Group group = cluster.write("RS-3-2-1024k", 6 * CELL);
      DataNode target = cluster.free(group);
      TransferService service = cluster.service(target);
      String metrics = target.getMetrics().name();
      GrantProto grant = withCodec(grant(group, 1, sources(cluster.shuffled(group, 1)), FAST), TestCoders.FLIPPING);
      cluster.apply(service, grant);
      FinishedTransferProto end = cluster.end(service, grant);
      assertEquals(Outcome.TARGET_FAILED, end.getOutcome());
      assertTrue(end.getMessage().contains("wrong result"), end::getMessage);
      PullCluster.assertNoTrace(group.internalBlock(1), target);
      cluster.assertNothingLeaks();
      assertEquals(1,
          MetricsAsserts.getLongCounter("EcInvalidReconstructionTasks", MetricsAsserts.getMetrics(metrics)));
      assertEquals(1,
          MetricsAsserts.getLongCounter("EcFailedReconstructionTasks", MetricsAsserts.getMetrics(metrics)));
    }
  }
}
