/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;

import java.util.function.BooleanSupplier;

/**
 * The throttler of what the DataNode's reconstructions of erasure-coded groups read. Stock HDFS passes what it is about
 * to read from all sources together. The admin's own limit is {@code dfs.datanode.ec.reconstruct.read.bandwidthPerSec}.
 */
public final class ReconstructionReadThrottler extends ReplacingThrottler {
  private final StockReconstructions reconstructions;

  /** @param replaced the throttler by the admin's own setting; null if there is none */
  ReconstructionReadThrottler(StockReconstructions reconstructions, DataTransferThrottler replaced) {
    super(replaced);
    this.reconstructions = reconstructions;
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
    node.setReconstructionReadThrottler(adminsOwn(node.reconstructionReadThrottler()));
  }

  @Override
  void pass(long bytes, BooleanSupplier cancelled) {
    reconstructions.read(bytes, cancelled);
  }
}
