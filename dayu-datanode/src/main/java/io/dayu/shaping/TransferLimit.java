/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.shaping;

import io.dayu.conf.Settings;

import java.util.concurrent.TimeUnit;

/**
 * How many transfers a target runs at once: as many as fill its link. Not thread-safe.
 *
 * <p>The limit begins at its minimum ({@link Settings#MIN_RUNNING}). It rises by one when the running transfers leave
 * room on the link and their own node's disks: their sources are the limit. It stays while link or disks are full, so
 * that a transfer that ends is replaced at once. It falls by one after each {@link Settings#LOWER_AFTER_MS} of that,
 * since fewer transfers may fill them by then. It falls to what runs when nothing waits to be started.
 */
public final class TransferLimit {
  /** The link has room if in this time no packet had to wait. */
  public static final long FILL_AFTER_NS = TimeUnit.MILLISECONDS.toNanos(Settings.FILL_AFTER_MS);
  private static final long LOWER_AFTER_NS = TimeUnit.MILLISECONDS.toNanos(Settings.LOWER_AFTER_MS);

  private final int min;
  private int limit;
  private long raisedNs;
  /** Since when the link is full, or since when the limit was last lowered, if that is later. */
  private long fullSinceNs;

  /** @param min what the limit begins at, and does not fall below */
  public TransferLimit(int min, long nowNs) {
    this.min = min;
    this.limit = min;
    raisedNs = nowNs - FILL_AFTER_NS;
    fullSinceNs = nowNs;
  }

  public int get() {
    return limit;
  }

  /**
   * Measures the link again.
   *
   * @param hasRoom whether the link has made no packet wait in the last {@link Settings#FILL_AFTER_MS}, and the disks
   *     are not busy all the time
   * @param running transfers that run now
   * @param moreWait whether more are granted than run
   */
  public void look(boolean hasRoom, int running, boolean moreWait, long nowNs) {
    if (!moreWait) {
      limit = Math.max(min, Math.min(limit, running));
    }
    if (hasRoom) {
      fullSinceNs = nowNs;
      if (moreWait && running >= limit && nowNs - raisedNs >= FILL_AFTER_NS) {
        limit = running + 1;
        raisedNs = nowNs;
      }
    } else if (nowNs - fullSinceNs >= LOWER_AFTER_NS) {
      limit = Math.max(min, limit - 1);
      fullSinceNs = nowNs;
    }
  }
}
