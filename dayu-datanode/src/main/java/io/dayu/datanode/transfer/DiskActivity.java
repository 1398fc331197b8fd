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
 * would move no more bytes, and plans are to count on what the disks take. {@link #areFull} is for one thread, the
 * other methods are safe for use by all.
 */
final class DiskActivity {
  /** Disks are full if a transfer writes to each of them for this share of the time, or more than one for less. */
  private static final double FULL_SHARE = 0.8;
  /** A disk that serves clients first may take two seconds for what a transfer then writes at once. */
  private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(5);

  /** What has been written by a moment, and for how long all transfers that count as running have run together. */
  private record Sample(long atNs, long writtenNs, long bytes, long ranNs) {
  }

  private final IntSupplier volumes;
  private final IntSupplier running;
  private final AtomicLong writtenNs = new AtomicLong();
  private final AtomicLong writtenBytes = new AtomicLong();
  private volatile long fullNs;
  private volatile long limitBytesPerSec;
  private Sample last;
  private Sample windowBegan;

  /**
   * @param volumes how many disks there are
   * @param running how many transfers run, without those that wait for a source or are paused
   */
  DiskActivity(IntSupplier volumes, IntSupplier running, long nowNs) {
    this.volumes = volumes;
    this.running = running;
    this.last = new Sample(nowNs, 0, 0, 0);
    this.windowBegan = last;
  }

  /** Adds a write. One that a hanging disk has kept for long counts as one disk in one window. */
  void wrote(long bytes, long durationNs) {
    writtenNs.addAndGet(Math.min(WINDOW_NS, durationNs));
    writtenBytes.addAndGet(bytes);
  }

  /** Whether transfers have kept the disks busy since this was last asked. */
  boolean areFull(long nowNs) {
    Sample now = new Sample(nowNs, writtenNs.get(), writtenBytes.get(),
        last.ranNs + running.getAsInt() * (nowNs - last.atNs));
    boolean full = isFull(last, now);
    fullNs += full ? nowNs - last.atNs : 0;
    last = now;
    if (nowNs - windowBegan.atNs >= WINDOW_NS) {
      boolean isLimit = isFull(windowBegan, now) || limitBytesPerSec > 0 && areAwaited(windowBegan, now);
      limitBytesPerSec = isLimit ? Math.max(1, taken(windowBegan, now)) : 0;
      windowBegan = now;
    }
    return full;
  }

  private boolean isFull(Sample from, Sample to) {
    return busyShare(from, to) >= FULL_SHARE;
  }

  /**
   * Whether the transfers, though they leave some disks idle, write nearly all the time. A plan that counts on the
   * limit may give the node fewer of them than it has disks: without this the limit would end, and return with as many
   * as the link carries.
   */
  private boolean areAwaited(Sample from, Sample to) {
    long maxWrittenNs = Math.min(to.ranNs - from.ranNs, volumes.getAsInt() * (to.atNs - from.atNs));
    return to.writtenNs - from.writtenNs >= FULL_SHARE * Math.max(to.atNs - from.atNs, maxWrittenNs);
  }

  /** Of the time of all disks; above 1 where transfers wait for each other. */
  private double busyShare(Sample from, Sample to) {
    double busyDisks = (double) (to.writtenNs - from.writtenNs) / Math.max(1, to.atNs - from.atNs);
    return busyDisks / Math.max(1, volumes.getAsInt());
  }

  /**
   * What the disks would take in a second if they were busy all the time. Were the idle rest not counted, a plan that
   * gives them what they took would leave them idle once more, and the next limit would be lower.
   */
  private long taken(Sample from, Sample to) {
    double bytesPerSec = (to.bytes - from.bytes) / ((to.atNs - from.atNs) / 1e9);
    return (long) (bytesPerSec / Math.min(1, busyShare(from, to)));
  }

  /** For how long they have been full, as far as {@link #areFull} was asked. */
  long fullMs() {
    return TimeUnit.NANOSECONDS.toMillis(fullNs);
  }

  /** What they take of transfers in a second, if they were full in the last ones; 0 if not. */
  long limitBytesPerSec() {
    return limitBytesPerSec;
  }
}
