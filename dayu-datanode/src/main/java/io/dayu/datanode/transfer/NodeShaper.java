/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.protocol.DayuProtos.ReportProto.Marking;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.LongSupplier;

/**
 * Shapes what recovery receives and sends on this node: a {@link LinkShaper} for each direction. Its owner
 * reads the meter and calls {@link #metered}, as long as {@link #activity} says that there is recovery traffic. Safe
 * for use by all threads.
 */
public final class NodeShaper {
  private static final long MIN_READING_MS = 10;
  /** Clients' bursts count for 50 ms ({@link LinkShaper}). */
  private static final long MAX_READING_MS = 20;

  private static final Logger LOG = LoggerFactory.getLogger(NodeShaper.class);

  private final Settings settings;
  private final LongSupplier nanoTime;
  private final LinkActivity activity = new LinkActivity();
  private final LinkShaper in;
  private final LinkShaper out;
  private final ReceiveBuffer receiveBuffer;
  private final LowerEffort lowerEffort;
  private final LowerEffortPause pause;
  private final long networkBytesPerSec;
  private final long readingIntervalMs;
  private volatile int sharers = 1;
  private volatile boolean unmarked;
  private boolean shapedUnmarked;
  private double maxUtilization;
  /** B_min as it is set; 0 = the default share of the network. */
  private long setMinBytesPerSec;
  private double minBytesPerSec;

  /**
   * @param countedPerBlockByte how much the meter counts for each block byte that is transferred; 0 if it sees nothing
   * @param networkBytesPerSec what the network carries in each direction
   */
  public NodeShaper(Settings settings, double countedPerBlockByte, long networkBytesPerSec) {
    this(settings, countedPerBlockByte, networkBytesPerSec, LowerEffort.read(settings), System::nanoTime);
  }

  /**
   * @param lowerEffort whether recovery's connections are marked, and why not all of them
   * @param nanoTime the clock of the limits and of {@link LowerEffortPause}; {@link LinkShaper} times packets that wait
   *     by {@code System.nanoTime()}
   */
  NodeShaper(Settings settings, double countedPerBlockByte, long networkBytesPerSec, LowerEffort lowerEffort,
      LongSupplier nanoTime) {
    this.settings = settings;
    this.nanoTime = nanoTime;
    this.pause = new LowerEffortPause(nanoTime);
    this.lowerEffort = lowerEffort;
    this.networkBytesPerSec = networkBytesPerSec;
    this.readingIntervalMs = Math.max(MIN_READING_MS,
        Math.min(MAX_READING_MS, ReceiveAllowance.PACKET_BYTES * 1_000L / Math.max(1, networkBytesPerSec)));
    this.maxUtilization = settings.ratio(Setting.MAX_UTILIZATION);
    this.setMinBytesPerSec = settings.bytesPerSec(Setting.MIN_BANDWIDTH);
    this.minBytesPerSec = settings.minBytesPerSec(networkBytesPerSec);
    this.in = shaper(countedPerBlockByte);
    this.out = shaper(countedPerBlockByte);
    this.receiveBuffer = new ReceiveBuffer(networkBytesPerSec);
  }

  private LinkShaper shaper(double countedPerBlockByte) {
    return new LinkShaper(networkBytesPerSec, meanUtilization(maxUtilization), peakUtilization(maxUtilization),
        minBytesPerSec, countedPerBlockByte, nanoTime.getAsLong());
  }

  /**
   * α as this node keeps it. The default for networks where clients go first is for marked packets; where this host
   * cannot mark them all it is as in any other network.
   */
  double meanUtilization(double wanted) {
    boolean notAsWanted = settings.goesBehindClients() && !goesBehindClients();
    return notAsWanted && settings.isDefault(Setting.MAX_UTILIZATION)
        && wanted == settings.ratio(Setting.MAX_UTILIZATION) ? Settings.DEFAULT_MAX_UTILIZATION : wanted;
  }

  /** Whether the network sends all of this host's recovery only where clients leave room. */
  private boolean goesBehindClients() {
    return settings.goesBehindClients() && lowerEffort.obstacle().isEmpty() && !shapedUnmarked;
  }

  /** Shapes anew where connections are marked from now on, or no longer. */
  private synchronized void followMarking() {
    boolean now = unmarked || pause.isUnmarked();
    if (now != shapedUnmarked) {
      shapedUnmarked = now;
      limit();
    }
  }

  /** Says whether a NameNode wants connections unmarked that this host would mark. */
  public void setUnmarked(boolean wanted) {
    unmarked = wanted;
    followMarking();
  }

  private void limit() {
    for (LinkShaper link : List.of(in, out)) {
      link.setLimits(meanUtilization(maxUtilization), peakUtilization(maxUtilization), minBytesPerSec,
          nanoTime.getAsLong());
    }
  }

  /** What recovery and clients may fill of a link together at a moment, for this α. */
  double peakUtilization(double wanted) {
    return goesBehindClients() ? 1
        : Settings.peakUtilization(meanUtilization(wanted));
  }

  /**
   * Says how many DataNodes of this host share the network; the default of B_min is that of a share. Applies from the
   * next limits on.
   */
  public void setSharers(int agents) {
    sharers = agents;
  }

  /**
   * Shapes both directions by these limits from now on.
   *
   * @param nextMaxUtilization α
   * @param nextSetMinBytesPerSec B_min as it is set; 0 = the default share of the network
   */
  public synchronized void setLimits(double nextMaxUtilization, long nextSetMinBytesPerSec) {
    double nextMinBytesPerSec =
        Settings.minBytesPerSec(nextSetMinBytesPerSec, nextMaxUtilization, networkBytesPerSec / sharers);
    String change = change(nextMaxUtilization, nextSetMinBytesPerSec);
    setMinBytesPerSec = nextSetMinBytesPerSec;
    if (nextMaxUtilization == maxUtilization && nextMinBytesPerSec == minBytesPerSec) {
      return;
    }
    if (change.isEmpty()) {
      LOG.info("Dayu: {} DataNodes of this host share its network; B_min is now {} bytes/s on this one", sharers,
          Math.round(nextMinBytesPerSec));
    } else {
      LOG.info("RECONFIGURE* {} on this DataNode; B_min is now {} bytes/s", change, Math.round(nextMinBytesPerSec));
    }
    maxUtilization = nextMaxUtilization;
    minBytesPerSec = nextMinBytesPerSec;
    limit();
  }

  /** Which settings these limits change, for people; empty if none. */
  String change(double nextMaxUtilization, long nextSetMinBytesPerSec) {
    StringJoiner changes = new StringJoiner(", ");
    if (nextMaxUtilization != maxUtilization) {
      changes.add(Setting.MAX_UTILIZATION.key() + " changed from " + maxUtilization + " to " + nextMaxUtilization);
    }
    if (nextSetMinBytesPerSec != setMinBytesPerSec) {
      changes.add(Setting.MIN_BANDWIDTH.key() + " changed from " + setMinBytesPerSec + " to " + nextSetMinBytesPerSec);
    }
    return changes.toString();
  }

  /** The B_min of this node, in bytes a second, for a value of the setting, before α bounds it. */
  public double minBytesPerSec(long setBytesPerSec) {
    return Settings.minBytesPerSec(setBytesPerSec, 1, networkBytesPerSec / sharers);
  }

  /**
   * How often the meter is to be read: recovery cannot pause sooner than between two packets, so on a slow link not
   * more often than they pass.
   */
  public long readingIntervalMs() {
    return readingIntervalMs;
  }

  /** Tells whether recovery traffic passes this node. */
  public LinkActivity activity() {
    return activity;
  }

  /**
   * Takes note of a reading of the meter: all bytes that the node has received and sent, as counters that only grow.
   */
  public void metered(long inBytes, long outBytes, long nowNs) {
    followMarking();
    in.metered(inBytes, nowNs);
    out.metered(outBytes, nowNs);
    in.setMeterFailed(false);
    out.setMeterFailed(false);
  }

  /** Notes that the meter fails: until the next reading recovery gets no more than B_min. */
  public void meterFailed() {
    in.setMeterFailed(true);
    out.setMeterFailed(true);
  }

  /** What is to be told of connections that are marked for the network; null if none is to be marked now. */
  LowerEffortPause marking() {
    return lowerEffort.isOn() && !unmarked && !pause.isUnmarked() ? pause : null;
  }

  /** Whether the network starves marked connections, so that none is marked for a while. */
  public boolean isStarved() {
    return pause.isStarved();
  }

  /** Whether this host marks recovery's traffic where it is to, for people; empty if it is not to. */
  public Optional<Marking> reportedMarking() {
    if (!lowerEffort.isWanted()) {
      return Optional.empty();
    } else if (pause.isStarved()) {
      return Optional.of(Marking.STARVED);
    }
    boolean cannot = lowerEffort.obstacle().isPresent() || pause.isUnmarked();
    return Optional.of(cannot ? Marking.CANNOT_MARK : Marking.MARKS);
  }

  /** The size of the socket buffer into which a transfer receives. */
  ReceiveBuffer receiveBuffer() {
    return receiveBuffer;
  }

  LinkShaper in() {
    return in;
  }

  LinkShaper out() {
    return out;
  }
}
