/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.SlowVolumesDataset;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.time.Duration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * One DataNode has all that is to be copied, on several slow volumes behind a fast network: it serves from all of them
 * at once. Beside stock HDFS with its defaults, which sends two blocks at once. Reads wait for their volumes, so a busy
 * machine changes little.
 */
@Tag("slow")
final class SlowVolumesIT {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String FILE = "/f";
  private static final int VOLUMES = 4;
  private static final int BLOCK_BYTES = 512 << 10;
  private static final int BLOCKS = 32;
  private static final int VOLUME_BYTES_PER_SEC = 512 << 10;
  private static final double ALL_AT_ONCE_SEC = (double) BLOCKS * BLOCK_BYTES / VOLUMES / VOLUME_BYTES_PER_SEC;

  private static ClusterBuilder builder() {
    return DayuCluster.builder().dataNodes(4).volumesPerNode(VOLUMES).blockSizeBytes(BLOCK_BYTES)
        .conf("dfs.datanode.fsdataset.factory", SlowVolumesDataset.Factory.class.getName())
        .nodeConf(0, SlowVolumesDataset.READ_KEY, Integer.toString(VOLUME_BYTES_PER_SEC));
  }

  /** Seconds from the moment when each block shall have a second replica. */
  private static double copySec(ClusterBuilder builder, boolean dayu) throws Exception {
    try (DayuCluster cluster = builder.start()) {
      if (dayu) {
        StatusProbe.awaitDayu(cluster.nodeCount());
      }
      cluster.files().write(cluster.fileSystem(), FILE, (long) BLOCKS * BLOCK_BYTES, 1,
          cluster.dataNode(0).getXferAddress());
      ClusterVerifier verifier = new ClusterVerifier(cluster);
      verifier.awaitSettled(LIMIT);
      assertEquals(BLOCKS, cluster.blocksOn(0).size(), "blocks on the slow volumes");
      long startNs = System.nanoTime();
      cluster.setReplication(FILE, 2);
      verifier.awaitSettled(LIMIT);
      return (System.nanoTime() - startNs) / 1e9;
    }
  }

  @Test
  void source_servesFromAllItsVolumesAtOnce() throws Exception {
    double dayuSec = copySec(builder(), true);
    double stockSec = copySec(builder().withoutDayu(), false);
    String times = String.format("%d volumes at once could do it in %.1f s; Dayu took %.1f s, stock HDFS %.1f s",
        VOLUMES, ALL_AT_ONCE_SEC, dayuSec, stockSec);
    System.out.println(times);
    // One volume after the other takes four times as long; the rest is for a machine that has other work.
    assertTrue(dayuSec < 3 * ALL_AT_ONCE_SEC, times);
    assertTrue(dayuSec < stockSec, times);
  }
}
