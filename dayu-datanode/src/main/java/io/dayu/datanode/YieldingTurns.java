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
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Turns that give way to foreground traffic on the scale of a request, so that a grant is spent where the links are idle. Safe for use by all
 * threads; a thread of its own reads the meter while there are transfers.
 *
 * <p>A turn is a small piece of a block, asked of its source by itself. It has to wait while foreground comes in over our own link
 * ({@link LinkWatch}), while its source is busy with others ({@link SourceWatch}), and while two turns of this node are under way that have not taken long yet. A transfer that
 * has waited so long that it is overdue ({@link Pace}) waits no longer: the NameNode's plan holds, a second late at most.
 */
final class YieldingTurns implements Turns {
  private static final int MAX_TURNS = 2;
  /** Of the link's time a turn takes so much, if its rate allows it. */
  private static final double TURN_SEC = 0.010;
  /** And not more than so much of what its rate brings. */
  private static final double TURN_OF_RATE_SEC = 0.2;
  private static final long LEAST_TURN_BYTES = 16 * 1024;
  private static final int PROBE_FRACTION = 4;
  /** A turn under way for longer does not keep others from theirs. */
  private static final long LONG_TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LONGEST_DEBT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MAX_SOURCES = 4096;

  private static final Logger LOG = LoggerFactory.getLogger(YieldingTurns.class);

  private final BandwidthMeter meter;
  private final long linkBytesPerSec;
  private final double utilization;
  private final Thread watcher;

  // Guarded by the monitor.
  private final LinkWatch link;
  private final Map<String, SourceWatch> sources = new HashMap<>();
  private final Map<YieldingVisit, Long> underWaySinceNanos = new HashMap<>();
  private final Set<YieldingVisit> visits = new HashSet<>();
  private long begunBytes;
  private long doneBytes;
  private boolean closed;

  /**
   * @param linkBytesPerSec what the network carries in each direction
   * @param utilization up to which fraction of that recovery may fill it while it catches up, foreground included
   */
  YieldingTurns(BandwidthMeter meter, long linkBytesPerSec, double utilization) {
    this.meter = meter;
    this.linkBytesPerSec = linkBytesPerSec;
    this.utilization = utilization;
    this.link = new LinkWatch(linkBytesPerSec, meter.countedPerBlockByte());
    this.watcher = new Thread(this::watch, "dayu-foreground-watch");
    this.watcher.setDaemon(true);
    this.watcher.start();
  }

  @Override
  public Pace newPace() {
    return new Pace(LONGEST_DEBT_NANOS);
  }

  @Override
  public synchronized Visit visit(SourceProto source, Pace pace, BooleanSupplier givesUp) {
    if (sources.size() >= MAX_SOURCES) {
      sources.values().retainAll(visits.stream().map(visit -> visit.source).collect(Collectors.toSet()));
    }
    SourceWatch watch = sources.computeIfAbsent(source.getDatanodeUuid(), uuid -> new SourceWatch(System.nanoTime()));
    YieldingVisit visit = new YieldingVisit(watch, pace, givesUp);
    visits.add(visit);
    notifyAll();
    return visit;
  }

  private final class YieldingVisit implements Visit {
    private final SourceWatch source;
    private final Pace pace;
    private final BooleanSupplier givesUp;
    private long plannedBytes;
    private long doneBefore;

    private YieldingVisit(SourceWatch source, Pace pace, BooleanSupplier givesUp) {
      this.source = source;
      this.pace = pace;
      this.givesUp = givesUp;
    }

    @Override
    public long turnBytes(long rateBytesPerSec) {
      synchronized (YieldingTurns.this) {
        double bytes = Math.min(linkBytesPerSec * TURN_SEC, rateBytesPerSec * TURN_OF_RATE_SEC);
        long units = (long) (bytes / LEAST_TURN_BYTES) / (source.wasBusy() ? PROBE_FRACTION : 1);
        plannedBytes = Math.max(1, units) * LEAST_TURN_BYTES;
        return plannedBytes;
      }
    }

    @Override
    public boolean asksForEachTurn() {
      return true;
    }

    @Override
    public boolean await() throws InterruptedException {
      synchronized (YieldingTurns.this) {
        while (!givesUp.getAsBoolean()) {
          long nowNanos = System.nanoTime();
          long waitNanos = waitNanos(this, nowNanos);
          if (waitNanos <= 0) {
            underWaySinceNanos.put(this, nowNanos);
            begunBytes += plannedBytes;
            doneBefore = doneBytes;
            return true;
          }
          TimeUnit.NANOSECONDS.timedWait(YieldingTurns.this, Math.min(waitNanos, LONGEST_WAIT_NANOS));
          long wokenNanos = System.nanoTime();
          pace.waited(wokenNanos - nowNanos, wokenNanos);
        }
        return false;
      }
    }

    @Override
    public void ended(long bytes) {
      synchronized (YieldingTurns.this) {
        long nowNanos = System.nanoTime();
        long sinceNanos = underWaySinceNanos.remove(this);
        begunBytes += bytes - plannedBytes;
        doneBytes += bytes;
        pace.received(bytes, nowNanos);
        if (bytes > 0) {
          source.turned(bytes, doneBytes - doneBefore, nowNanos - sinceNanos, ThreadLocalRandom.current().nextDouble(), nowNanos);
        }
        readMeter(nowNanos);
        YieldingTurns.this.notifyAll();
      }
    }

    @Override
    public long bandwidthBytesPerSec(long rateBytesPerSec) {
      synchronized (YieldingTurns.this) {
        long wanted = pace.bandwidthBytesPerSec(link.isBelow(utilization), plannedBytes, System.nanoTime());
        return Math.min(wanted, Math.max(rateBytesPerSec, (long) (utilization * linkBytesPerSec)));
      }
    }

    @Override
    public void close() {
      synchronized (YieldingTurns.this) {
        visits.remove(YieldingVisit.this);
      }
    }
  }

  /** How long a visitor has to wait yet, as far as is known now; zero or less if it is its turn. */
  private long waitNanos(YieldingVisit visit, long nowNanos) {
    int underWay = 0;
    for (long sinceNanos : underWaySinceNanos.values()) {
      underWay += nowNanos - sinceNanos < LONG_TURN_NANOS ? 1 : 0;
    }
    boolean busy = link.isBusy();
    boolean wait = busy || underWay >= MAX_TURNS;
    return Math.min(visit.pace.overdueInNanos(nowNanos), wait ? LONGEST_WAIT_NANOS : visit.source.freeInNanos(nowNanos));
  }

  private void watch() {
    try {
      while (true) {
        synchronized (this) {
          if (closed) {
            return;
          }
          if (visits.isEmpty()) {
            link.forget();
            wait();
          } else {
            boolean wasBusy = link.isBusy();
            readMeter(System.nanoTime());
            if (wasBusy && !link.isBusy()) {
              notifyAll();
            }
          }
        }
        TimeUnit.NANOSECONDS.sleep(LinkWatch.TICK_NANOS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void readMeter(long nowNanos) {
    try {
      link.read(meter.read().inBytes(), begunBytes, doneBytes, nowNanos);
    } catch (IOException | RuntimeException e) {
      LOG.debug("Cannot read the meter {}", meter.describe(), e);
      link.forget();
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
