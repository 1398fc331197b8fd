/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.util.Canceler;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;

/**
 * The DataNode's throttler of what its own reconstructions of erasure-coded groups read. Stock HDFS calls it before
 * each round, on the thread of the reconstruction, with what it is about to read from all sources together. Keeps to
 * the admin's own limit ({@code dfs.datanode.ec.reconstruct.read.bandwidthPerSec}), too. Safe for use by all threads.
 */
public final class ReconstructionReadThrottler extends DataTransferThrottler {
  private final StockReconstructions reconstructions;
  private final DataTransferThrottler replaced;

  /** @param replaced the throttler by the admin's own setting; null if there is none */
  ReconstructionReadThrottler(StockReconstructions reconstructions, DataTransferThrottler replaced) {
    super(1);
    this.reconstructions = reconstructions;
    this.replaced = replaced;
  }

  /** Installs a throttler of this class in the DataNode, once. */
  public static void install(DataNodeAccess node, StockReconstructions reconstructions) {
    DataTransferThrottler present = node.reconstructionReadThrottler();
    if (!(present instanceof ReconstructionReadThrottler)) {
      node.setReconstructionReadThrottler(new ReconstructionReadThrottler(reconstructions, present));
    }
  }

  /** Puts the admin's own throttler back. */
  public static void remove(DataNodeAccess node) {
    if (node.reconstructionReadThrottler() instanceof ReconstructionReadThrottler ours) {
      node.setReconstructionReadThrottler(ours.replaced);
    }
  }

  /** The throttler by the admin's own setting; null if there is none. */
  static DataTransferThrottler adminsOwn(DataNodeAccess node) {
    DataTransferThrottler present = node.reconstructionReadThrottler();
    return present instanceof ReconstructionReadThrottler ours ? ours.replaced : present;
  }

  @Override
  public long getBandwidth() {
    return replaced == null ? 0 : replaced.getBandwidth();
  }

  @Override
  public void setBandwidth(long bytesPerSecond) {
    if (replaced != null) {
      replaced.setBandwidth(bytesPerSecond);
    }
  }

  @Override
  public void throttle(long bytes) {
    throttle(bytes, null);
  }

  @Override
  public void throttle(long bytes, Canceler canceler) {
    if (replaced != null) {
      replaced.throttle(bytes, canceler);
    }
    reconstructions.read(bytes, () -> canceler != null && canceler.isCancelled());
  }
}
