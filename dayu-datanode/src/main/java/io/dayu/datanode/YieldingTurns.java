/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.SourceProto;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;

/**
 * Turns that give way to foreground traffic on the scale of a request, so that recovery fills the links where and while they are idle. Safe
 * for use by all threads; a thread of its own reads the meter while there are transfers, of ours or of others from here.
 *
 * <p>A turn is a small piece of a block, asked of a source by itself. It begins when both ends agree: our own link ({@link LinkTurns}), and
 * the source's, whose agent is asked ({@link SourceTurns}) since only it sees what its clients do. Any node that has the block will do, if its agent
 * promises the turn: the one that the plan names is a first choice. A source without an agent is left alone after it was slow ({@link SourceWatch}).
 *
 * <p>The grant says who goes first, and what a transfer gets in any case: one that lags behind it too far ({@link Pace}) waits for nobody but
 * others like it. Beyond its grant it takes what both links have room for: a plan is made for seconds from what was idle in the seconds before,
 * and what was not foreseen would lie idle. How a transfer comes by a turn is {@link YieldingVisit}'s; here is what all of this node's share.
 */
final class YieldingTurns implements Turns {
  /** Beside the turns under way so many transfers may be asking their sources for the next: most sources are busy with others. */
  private static final int MAX_ASKING = 6;
  /** Long enough that a node of which the plan expects a little too much is not for that reason unfair to its clients. */
  private static final long LONGEST_DEBT_NANOS = TimeUnit.SECONDS.toNanos(8);
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  /** Who takes turns on what this node sends has none between them, and foreground is only seen by who watches. */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MAX_SOURCES = 4096;

  private static final Logger LOG = LoggerFactory.getLogger(YieldingTurns.class);

  private final BandwidthMeter meter;
  private final LinkTurns in;
  private final LinkTurns out;
  private final YieldingVisit.Node node;
  private final Thread watcher;

  // Guarded by the monitor.
  private final Map<String, SourceWatch> sources = new HashMap<>();
  private final Set<YieldingVisit> visits = new HashSet<>();
  private boolean closed;
  private long neededNanos = System.nanoTime() - LINGER_NANOS;
  /** Of the watcher's thread. */
  private boolean tickFails;
  private volatile BandwidthMeter.Counters lastRead = new BandwidthMeter.Counters(0, 0);

  /**
   * @param linkBytesPerSec what the network carries in each direction
   * @param utilization up to which fraction of that recovery may fill it beyond its grants, foreground included; may change
   * @param sourceTurns how sources are asked
   */
  YieldingTurns(BandwidthMeter meter, long linkBytesPerSec, DoubleSupplier utilization, SourceTurns sourceTurns) {
    this.meter = meter;
    // Of a meter that counts none of our own bytes it is not known what it counts at all.
    DoubleSupplier fillUpTo = meter.countedPerBlockByte() > 0 ? utilization : () -> 0;
    this.in = new LinkTurns(new LinkWatch(linkBytesPerSec, meter.countedPerBlockByte()), () -> read().inBytes(), fillUpTo,
        LinkTurns.MAX_TURNS + MAX_ASKING, false);
    this.out = new LinkTurns(new LinkWatch(linkBytesPerSec, meter.countedPerBlockByte()), () -> read().outBytes(), fillUpTo,
        LinkTurns.MAX_TURNS, true);
    this.node = new YieldingVisit.Node(in, linkBytesPerSec, utilization, sourceTurns, new AtomicLong());
    this.watcher = new Thread(this::watch, "dayu-foreground-watch");
    this.watcher.setDaemon(true);
    this.watcher.start();
  }

  private BandwidthMeter.Counters read() {
    try {
      lastRead = meter.read();
    } catch (IOException | RuntimeException e) {
      LOG.debug("Cannot read the meter {}", meter.describe(), e);
    }
    return lastRead;
  }

  @Override
  public Pace newPace() {
    return new Pace(LONGEST_DEBT_NANOS);
  }

  /** The turns that this node's transfers take on what it receives. */
  LinkTurns incoming() {
    return in;
  }

  /** The turns that others take on what this node sends. */
  LinkTurns outgoing() {
    return out;
  }

  /** Wakes the thread that ticks: there is somebody who waits. */
  synchronized void wake() {
    notifyAll();
  }

  @Override
  public synchronized Visit visit(SourceProto source, Pace pace, BooleanSupplier givesUp) {
    if (sources.size() >= MAX_SOURCES) {
      sources.values().retainAll(visits.stream().map(YieldingVisit::watch).collect(Collectors.toSet()));
    }
    SourceWatch watch = sources.computeIfAbsent(source.getDatanodeUuid(), uuid -> new SourceWatch(System.nanoTime()));
    YieldingVisit visit = new YieldingVisit(node, source, watch, pace, givesUp, this::left);
    visits.add(visit);
    notifyAll();
    return visit;
  }

  private synchronized void left(YieldingVisit visit) {
    visits.remove(visit);
  }

  private boolean isNeeded(long nowNanos) {
    if (!visits.isEmpty() || !out.isIdle()) {
      neededNanos = nowNanos;
    }
    return nowNanos - neededNanos < LINGER_NANOS;
  }

  private void watch() {
    try {
      while (true) {
        synchronized (this) {
          while (!closed && !isNeeded(System.nanoTime())) {
            in.forget();
            out.forget();
            wait();
          }
          if (closed) {
            return;
          }
        }
        tick();
        TimeUnit.NANOSECONDS.sleep(TICK_NANOS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whatever happens, the next one comes: without it all would wait for ever. */
  private void tick() {
    try {
      in.tick();
      out.tick();
    } catch (RuntimeException | Error e) {
      if (!tickFails) {
        tickFails = true;
        LOG.warn("Dayu could not look after its turns; trying again, and telling no more", e);
      }
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    watcher.interrupt();
  }
}
