/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.hdfs.util.Canceler;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;

import java.util.function.BooleanSupplier;

/**
 * A throttler of the DataNode that its own reconstructions of erasure-coded groups ask before each round, on the thread
 * of the reconstruction. Keeps to the admin's own limit, too. Safe for use by all threads.
 */
abstract class ReconstructionThrottler extends DataTransferThrottler {
  private final DataTransferThrottler replaced;

  /** @param replaced the throttler by the admin's own setting; null if there is none */
  ReconstructionThrottler(DataTransferThrottler replaced) {
    super(1);
    this.replaced = replaced;
  }

  /** Waits until a round may move these bytes, or {@code cancelled} says so. */
  abstract void pass(long bytes, BooleanSupplier cancelled);

  /** The throttler by the admin's own setting, where this one may have taken its place; null if there is none. */
  static DataTransferThrottler adminsOwn(DataTransferThrottler present) {
    return present instanceof ReconstructionThrottler ours ? ours.replaced : present;
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
    pass(bytes, () -> canceler != null && canceler.isCancelled());
  }
}
