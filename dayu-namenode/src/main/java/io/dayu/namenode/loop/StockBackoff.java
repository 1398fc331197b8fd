/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import java.util.concurrent.TimeUnit;

/**
 * How long stock HDFS recovers after a failure of Dayu: twice as long after each further failure, within bounds. Reads
 * no clock; owned by the recovery loop, not thread-safe.
 */
final class StockBackoff {
  private static final long MAX_BACKOFF_NS = TimeUnit.MINUTES.toNanos(10);
  /** After this time without a failure the next one counts as the first. */
  private static final long RESET_NS = TimeUnit.HOURS.toNanos(1);

  private long backoffNs;
  private long endNs;

  StockBackoff(long nowNs) {
    this.endNs = nowNs;
  }

  /**
   * Dayu has failed.
   *
   * @param firstNs the time after a first failure
   */
  void failed(long firstNs, long nowNs) {
    if (nowNs - endNs > RESET_NS) {
      backoffNs = 0;
    }
    backoffNs = Math.min(MAX_BACKOFF_NS, Math.max(firstNs, backoffNs * 2));
    endNs = nowNs + backoffNs;
  }

  /** Whether Dayu may try again. */
  boolean isOver(long nowNs) {
    return nowNs - endNs >= 0;
  }
}
