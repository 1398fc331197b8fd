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
import java.util.function.BooleanSupplier;

/**
 * What stock HDFS's reconstructions of erasure-coded groups move, shaped as recovery: at the DataNode that rebuilds
 * internal blocks what it reads and what it sends to further targets, and at the DataNodes that it reads from. So
 * clients keep their share of the link, and Dayu's transfers do not yield to reconstructions as they do to clients.
 * Safe for use by all threads.
 *
 * <p>Only while Dayu recovers, as the active NameNode's commands say. Else reconstructions pass as without Dayu: an
 * admin who has stock HDFS recover gets stock's pace.
 *
 * <p>In the reports they stay foreground, since the NameNode leaves the nodes that take part the bandwidth for them.
 */
public final class StockReconstructions {
  /** How long commands of a NameNode that recovers by Dayu count. Idle agents hear from it every ten seconds. */
  private static final long GOVERNED_NS = TimeUnit.SECONDS.toNanos(60);
  /** {@code dfs.datanode.ec.reconstruction.stripedread.timeout.millis} is 5 s for each packet. */
  private static final long MAX_SERVE_WAIT_NS = TimeUnit.SECONDS.toNanos(2);

  private final NodeShaper shaper;
  /** The flows of reads and writes here. They have no grant, so they have the weight of the default B_min. */
  private final FairQueue.Flow reads = new FairQueue.Flow();
  private final FairQueue.Flow writes = new FairQueue.Flow();
  private final AtomicLong readBytes = new AtomicLong();
  private final AtomicLong writtenBytes = new AtomicLong();
  private final AtomicLong servedBytes = new AtomicLong();
  private volatile boolean governed;
  private volatile long governedNs;

  public StockReconstructions(NodeShaper shaper) {
    this.shaper = shaper;
    reads.setWeight(Math.max(1, shaper.minBytesPerSec(0)));
    writes.setWeight(Math.max(1, shaper.minBytesPerSec(0)));
  }

  /** Notes that the active NameNode recovers by Dayu. */
  public void dayuRecovers(long nowNs) {
    governedNs = nowNs;
    governed = true;
  }

  /** Whether reconstructions are shaped now. */
  boolean areShaped(long nowNs) {
    return governed && nowNs - governedNs < GOVERNED_NS;
  }

  /** Waits until a reconstruction on this DataNode may read {@code bytes} from others. */
  void read(long bytes, BooleanSupplier cancelled) {
    pass(readBytes, bytes, () -> shaper.in().acquire(reads, (int) Math.min(bytes, Integer.MAX_VALUE), cancelled));
  }

  /** Waits until a reconstruction on this DataNode may send {@code bytes} of further internal blocks to others. */
  void write(long bytes, BooleanSupplier cancelled) {
    pass(writtenBytes, bytes, () -> shaper.out().acquire(writes, (int) Math.min(bytes, Integer.MAX_VALUE), cancelled));
  }

  /**
   * Waits until the next packet may be sent to a DataNode that reconstructs; but only for a part of the time after
   * which that DataNode would read from another source instead.
   *
   * @param flow the packets to this reader
   * @param bytes those of the last packet
   */
  void serve(FairQueue.Flow flow, long bytes, BooleanSupplier cancelled) {
    long begunNs = System.nanoTime();
    pass(servedBytes, bytes, () -> shaper.out().acquireAfter(flow, (int) Math.min(bytes, Integer.MAX_VALUE),
        () -> cancelled.getAsBoolean() || System.nanoTime() - begunNs >= MAX_SERVE_WAIT_NS));
  }

  /** A wait in a shaper. */
  private interface Wait {
    void await() throws InterruptedException;
  }

  private void pass(AtomicLong counter, long bytes, Wait wait) {
    if (!areShaped(System.nanoTime())) {
      return;
    }
    counter.addAndGet(bytes);
    shaper.activity().markActive();
    try {
      wait.await();
    } catch (InterruptedException e) {
      // The DataNode stops; the caller notices it by the interrupt flag.
      Thread.currentThread().interrupt();
    }
  }

  /** Bytes that reconstructions here have read from other DataNodes while they were shaped. */
  public long readBytes() {
    return readBytes.get();
  }

  /** Bytes that reconstructions here have sent to other DataNodes while they were shaped, but for the last rounds. */
  public long writtenBytes() {
    return writtenBytes.get();
  }

  /** Bytes that reconstructions of other DataNodes have read here while they were shaped. */
  public long servedBytes() {
    return servedBytes.get();
  }
}
