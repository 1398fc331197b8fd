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
 * A throttler that takes the place of the admin's own in a DataNode, and keeps to that limit, too. Safe for use by all
 * threads.
 */
abstract class ReplacingThrottler extends DataTransferThrottler {
  private final DataTransferThrottler replaced;

  /** @param replaced the throttler by the admin's own setting; null if there is none */
  ReplacingThrottler(DataTransferThrottler replaced) {
    super(1);
    this.replaced = replaced;
  }

  /** Counts these bytes, and waits as long as they take, or until {@code cancelled} says so. */
  abstract void pass(long bytes, BooleanSupplier cancelled);

  /** The throttler by the admin's own setting, where one of ours may have taken its place; null if there is none. */
  static DataTransferThrottler adminsOwn(DataTransferThrottler present) {
    return present instanceof ReplacingThrottler ours ? ours.replaced : present;
  }

  @Override
  public final long getBandwidth() {
    return replaced == null ? 0 : replaced.getBandwidth();
  }

  @Override
  public final void setBandwidth(long bytesPerSecond) {
    if (replaced != null) {
      replaced.setBandwidth(bytesPerSecond);
    }
  }

  @Override
  public final void throttle(long bytes) {
    throttle(bytes, null);
  }

  @Override
  public final void throttle(long bytes, Canceler canceler) {
    if (replaced != null) {
      replaced.throttle(bytes, canceler);
    }
    pass(bytes, () -> canceler != null && canceler.isCancelled());
  }
}
