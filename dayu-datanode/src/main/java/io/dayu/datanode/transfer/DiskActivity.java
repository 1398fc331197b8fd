/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * For how much of the time transfers write to this node's disks. If that is nearly all the time, further transfers
 * would move no more bytes. {@link #areFull} is for one thread, the other methods are safe for use by all.
 */
final class DiskActivity {
  /** Disks are full if a transfer writes to each of them for this share of the time, or more than one for less. */
  private static final double FULL_SHARE = 0.8;

  private final IntSupplier volumes;
  private final AtomicLong writtenNs = new AtomicLong();
  private volatile long fullNs;
  private long lastNs;
  private long lastWrittenNs;

  /** @param volumes how many disks there are */
  DiskActivity(IntSupplier volumes, long nowNs) {
    this.volumes = volumes;
    this.lastNs = nowNs;
  }

  /** Adds the duration of a write. */
  void wrote(long durationNs) {
    writtenNs.addAndGet(durationNs);
  }

  /** Whether transfers have kept the disks busy since this was last asked. */
  boolean areFull(long nowNs) {
    long nowWrittenNs = writtenNs.get();
    double busyDisks = (double) (nowWrittenNs - lastWrittenNs) / Math.max(1, nowNs - lastNs);
    boolean full = busyDisks >= FULL_SHARE && busyDisks >= FULL_SHARE * Math.max(1, volumes.getAsInt());
    fullNs += full ? nowNs - lastNs : 0;
    lastNs = nowNs;
    lastWrittenNs = nowWrittenNs;
    return full;
  }

  /** For how long they have been full, as far as {@link #areFull} was asked. */
  long fullMs() {
    return TimeUnit.NANOSECONDS.toMillis(fullNs);
  }
}
