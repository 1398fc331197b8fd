/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.transfer.PullCluster.Placed;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A pull where sources ask for block tokens and encrypt what they send. */
class SecuredTransferIT {
  private static final long SEED = 20261123;
  private static final int BYTES = 3_000_001;

  @Test
  void pulledReplica_isByteIdenticalWithTokensAndEncryption() throws Exception {
    System.out.println("seed " + SEED);
    Configuration conf = new HdfsConfiguration();
    conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
    conf.setBoolean(DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY, true);
    conf.setBoolean("dfs.datanode.use.datanode.hostname", true);
    try (PullCluster hdfs = new PullCluster(conf, SEED)) {
      Placed file = hdfs.write("secured", BYTES);
      try (TransferService service =
          new TransferService(new DataNodeAccess(file.target()), () -> 4, PullCluster.shaper(), VolumeShapers.none(),
              PullCluster.REBUILD_BYTES, () -> {}).start()) {
        GrantProto grant = PullCluster.grant(file.block(), file.first(), 1L << 30);
        String pool = file.block().getBlockPoolId();
        service.granted().apply(pool, List.of(grant), System.nanoTime());
        Poll.until("the transfer has ended", Duration.ofSeconds(30),
            () -> !service.granted().status(pool).finished().isEmpty(),
            () -> service.granted().status(pool));
        assertEquals(Outcome.DONE, service.granted().status(pool).finished().get(0).getOutcome(),
            () -> service.granted().status(pool).toString());
        PullCluster.assertSameFiles(file.block(), file.first(), file.target());
      }
      ResourceLeaks.assertNone(hdfs.cluster.getDataNodes());
    }
  }
}
