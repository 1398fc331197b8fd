/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;

import java.util.function.BooleanSupplier;

/**
 * The throttler of what the DataNode's reconstructions of erasure-coded groups write. Stock HDFS passes the bytes of a
 * round for all targets together. The first target is this DataNode itself; what goes to the others crosses the link.
 * The admin's own limit is {@code dfs.datanode.ec.reconstruct.write.bandwidthPerSec}.
 */
public final class ReconstructionWriteThrottler extends ReplacingThrottler {
  private final StockReconstructions reconstructions;
  /**
   * What a round makes for each target, but for the last round of a block, which makes less. HDFS says the sum for all
   * targets and not how many there are: so of the last round, and of a block of one round, too little passes the shaper
   * and is counted, by less than this.
   */
  private final long roundBytes;

  /** @param replaced the throttler by the admin's own setting; null if there is none */
  ReconstructionWriteThrottler(StockReconstructions reconstructions, DataTransferThrottler replaced, long roundBytes) {
    super(replaced);
    this.reconstructions = reconstructions;
    this.roundBytes = roundBytes;
  }

  /** Installs a throttler of this class in the DataNode, once. */
  public static void install(DataNodeAccess node, StockReconstructions reconstructions) {
    DataTransferThrottler present = node.reconstructionWriteThrottler();
    if (!(present instanceof ReconstructionWriteThrottler)) {
      node.setReconstructionWriteThrottler(new ReconstructionWriteThrottler(reconstructions, present,
          node.conf().getInt(DFSConfigKeys.DFS_DN_EC_RECONSTRUCTION_STRIPED_READ_BUFFER_SIZE_KEY,
              DFSConfigKeys.DFS_DN_EC_RECONSTRUCTION_STRIPED_READ_BUFFER_SIZE_DEFAULT)));
    }
  }

  /** Puts the admin's own throttler back. */
  public static void remove(DataNodeAccess node) {
    node.setReconstructionWriteThrottler(adminsOwn(node.reconstructionWriteThrottler()));
  }

  @Override
  void pass(long bytes, BooleanSupplier cancelled) {
    if (bytes > roundBytes) {
      reconstructions.write(bytes - roundBytes, cancelled);
    }
  }
}
