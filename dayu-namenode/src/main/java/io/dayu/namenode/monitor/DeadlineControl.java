/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.blocks.LiveNode;
import io.dayu.conf.Deadline;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.cluster.LiveCluster;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.monitor.LeavingWatch.Leaving;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the deadlines of DataNodes that leave: their blocks go before the others of their risk, and α rises as far as a
 * deadline needs it, up to what the admin has allowed. Says when one will be missed. The recovery loop calls it;
 * {@link #latest} is safe for use by all threads.
 */
public final class DeadlineControl {
  private static final Logger LOG = LoggerFactory.getLogger(DeadlineControl.class);
  private static final long PERIOD_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long SETTLED_NS = TimeUnit.SECONDS.toNanos(15);
  /** A deadline counts as kept if the forecast needs no more than this share of the time that is left. */
  private static final double MARGIN = 0.9;
  /** When an admin is warned, as a share of the time from when the deadline was given. */
  private static final double WARN_AFTER = 0.3;
  /** α is not lowered by less than this, so that it does not move at each look. */
  private static final double HYSTERESIS = 0.1;
  /** Differences of decimal fractions are not exact. */
  private static final double ROUNDING = 1e-9;

  /** What becomes of a deadline. */
  public enum State {
    /** None of its DataNodes leaves yet. */
    WAITING,
    /** The forecast is that it is kept. */
    KEPT,
    /** The forecast is that it is missed, even at the highest α. */
    AT_RISK,
    /** All of its DataNodes have left, or have nothing left to copy and to wait for. */
    MET,
    /** It is over, and something is left. */
    MISSED,
    /** It is over, and none of its DataNodes was seen to leave here; another NameNode may have seen it. */
    NOT_SEEN
  }

  /**
   * A deadline as of now.
   *
   * @param utilization the α at which it is kept, or the highest that is allowed
   * @param seconds what is left takes at that α
   * @param bytes left to copy
   * @param blockedBlocks that something else than recovery holds up
   * @param late whether what recovery can copy takes longer than there is time
   * @param known whether a live DataNode has its name
   */
  public record DeadlineStatus(Deadline deadline, State state, double utilization, long seconds, long bytes,
      long blockedBlocks, boolean late, boolean known) {
    /** For people. */
    public String describe() {
      return switch (state) {
        case WAITING -> known ? "no such DataNode leaves now; what it takes is known soon after it begins"
            : "no live DataNode has this name; hdfs dayu -nodes lists the names";
        case KEPT -> "can be kept, at " + alpha() + ": what is left takes " + time() + (utilization
            > deadline.maxUtilization() ? "; alpha is above its " + deadline.maxUtilization() + " without it" : "");
        case AT_RISK -> (!late ? "" : "will be missed: even at " + alpha()
            + " what is left takes " + time() + (blockedBlocks > 0 ? "; " : ""))
            + (blockedBlocks > 0 ? "recovery cannot copy " + blockedBlocks + " of the blocks that are left" : "");
        case MET -> "met: nothing is left";
        case NOT_SEEN -> "over; no such DataNode was seen to leave while this NameNode was active";
        case MISSED -> "missed" + (bytes == 0 ? known ? "" : ": no live DataNode had this name"
            : "; what is left takes " + time() + " at " + alpha());
      };
    }

    private String alpha() {
      return String.format(Locale.ROOT, "alpha %.2f", utilization);
    }

    private String time() {
      return "about " + Duration.ofSeconds(seconds).toString().substring(2).toLowerCase(Locale.ROOT);
    }
  }

  private final LiveCluster cluster;
  private final Settings settings;
  private final LeavingWatch leaving;
  /** The last state of each deadline, by what it is. */
  private final Map<Deadline, State> states = new HashMap<>();
  private final Set<Deadline> warned = new HashSet<>();
  private final RecentUtilization recent = new RecentUtilization();
  private long lookedNs;
  /** Since when this NameNode is active, as far as deadlines have been followed; null if it is not. */
  private Instant activeSince;
  private boolean looked;
  private double raised;
  private boolean failing;
  private volatile List<DeadlineStatus> latest = List.of();

  DeadlineControl(LiveCluster cluster, Settings settings, LeavingWatch leaving) {
    this.cluster = cluster;
    this.settings = settings;
    this.leaving = leaving;
  }

  /** All deadlines, as of the last look. */
  public List<DeadlineStatus> latest() {
    return latest;
  }

  /** Those that will be missed, by the forecast, or were. */
  long atRisk() {
    return latest.stream().filter(one -> one.state() == State.AT_RISK || one.state() == State.MISSED).count();
  }

  /** Follows the deadlines, once a second. After a failure no deadline raises α until they can be followed again. */
  void tick(boolean active, long nowNs, Instant now) {
    if (looked && nowNs - lookedNs < PERIOD_NS) {
      return;
    }
    try {
      look(active, nowNs, now);
      failing = false;
    } catch (RuntimeException | LinkageError e) {
      raised = 0;
      latest = List.of();
      settings.raiseMaxUtilization(0, "");
      cluster.urgent(Set.of());
      if (!failing) {
        failing = true;
        LOG.warn("Dayu: deadlines could not be followed, so that none raises alpha; recovery itself goes on", e);
      }
    }
  }

  /** The same at once. */
  public void look(boolean active, long nowNs, Instant now) {
    looked = true;
    lookedNs = nowNs;
    recent.observe(settings.ratio(Setting.MAX_UTILIZATION), nowNs);
    List<Deadline> deadlines = new ArrayList<>(active ? settings.deadlines() : List.of());
    deadlines.sort(Comparator.comparing(Deadline::until));
    leaving.lookOften(!deadlines.isEmpty());
    activeSince = !active ? null : activeSince == null ? now : activeSince;
    states.keySet().retainAll(deadlines);
    warned.retainAll(deadlines);
    List<Leaving> nodes = leaving.latest();
    List<DeadlineStatus> all = new ArrayList<>();
    Set<String> urgent = new HashSet<>();
    double needed = 0;
    double allowed = 0;
    String origin = "";
    DeadlineForecast forecast = deadlines.isEmpty() ? null : forecast(nowNs);
    for (Deadline deadline : deadlines) {
      // What has an earlier deadline is copied first.
      List<Leaving> first = nodes.stream().filter(node -> deadlines.stream()
          .anyMatch(other -> !other.until().isAfter(deadline.until()) && isOf(other, node))).toList();
      List<Leaving> own = nodes.stream().filter(node -> isOf(deadline, node)).toList();
      DeadlineStatus status = status(deadline, own, first, forecast, now);
      all.add(status);
      if (status.state() == State.KEPT || status.state() == State.AT_RISK) {
        own.forEach(node -> urgent.add(node.node().uuid()));
        allowed = Math.max(allowed, deadline.maxUtilization());
        if (status.bytes() > 0 && status.utilization() > needed) {
          needed = status.utilization();
          origin = "deadline of " + deadline.node() + " at " + deadline.until();
        }
      }
    }
    cluster.urgent(urgent);
    raise(needed, allowed, origin);
    recent.observe(settings.ratio(Setting.MAX_UTILIZATION), nowNs);
    latest = List.copyOf(all);
  }

  /** The names of the live DataNodes that a deadline is of. */
  public List<String> dataNodes(Deadline deadline) {
    return cluster.nodes().values().stream().filter(node -> isOf(deadline, node)).map(LiveNode::name).sorted().toList();
  }

  private boolean isOf(Deadline deadline, Leaving leaving) {
    LiveNode node = cluster.nodes().get(leaving.node().uuid());
    return deadline.isOf(leaving.node().name()) || node != null && isOf(deadline, node);
  }

  private static boolean isOf(Deadline deadline, LiveNode node) {
    return deadline.isOf(node.name()) || deadline.isOf(node.ipAddress() + ":" + node.transferPort());
  }

  private DeadlineForecast forecast(long nowNs) {
    Map<String, NodeLoad> loads = cluster.loads(nowNs);
    return new DeadlineForecast(List.copyOf(loads.values()), loads.entrySet().stream()
        .filter(load -> cluster.nodes().containsKey(load.getKey()) && cluster.nodes().get(load.getKey()).target())
        .map(Map.Entry::getValue).toList(), settings::minBytesPerSec,
        settings.bytesPerSec(Setting.MAX_TOTAL_BANDWIDTH));
  }

  private DeadlineStatus status(Deadline deadline, List<Leaving> own, List<Leaving> first, DeadlineForecast forecast,
      Instant now) {
    long bytes = first.stream().mapToLong(node -> node.node().copiedBytes()).sum();
    long blocked = own.stream().mapToLong(node -> node.node().blockedBlocks()).sum();
    // The rates of several nodes are rates of one recovery.
    Leaving slowest = first.stream().filter(DeadlineControl::isMeasured)
        .max(Comparator.comparingLong(Leaving::etaSeconds)).orElse(null);
    // A rate of minutes says nothing yet of an alpha that has just changed.
    double measuredAt = slowest == null ? settings.ratio(Setting.MAX_UTILIZATION)
        : recent.mean(slowest.fromNs(), slowest.untilNs());
    long measured = slowest == null ? -1 : slowest.etaSeconds() + unmeasuredSeconds(first, measuredAt, forecast);
    double minUtilization = settings.maxUtilizationWithoutDeadline();
    double maxUtilization = Math.max(minUtilization, deadline.maxUtilization());
    double leftSec = seconds(now, deadline.until());
    double utilization = leftSec <= 0 ? minUtilization
        : forecast.neededUtilization(bytes, MARGIN * leftSec, minUtilization, maxUtilization, measuredAt, measured);
    double forecastSec = forecast.seconds(bytes, utilization, measuredAt, measured);
    State before = states.getOrDefault(deadline, State.WAITING);
    boolean nothingLeft = own.stream().allMatch(node -> node.node().copiedBytes() == 0) && blocked == 0;
    boolean known = !dataNodes(deadline).isEmpty();
    boolean late = forecastSec > leftSec;
    boolean stuck = own.stream().anyMatch(node -> node.node().stuckBlocks() > 0);
    State state = next(before, leftSec > 0, own.isEmpty(), nothingLeft, late || stuck || blocked > 0 && bytes == 0);
    if (state == State.WAITING && leftSec <= 0) {
      boolean wasWatched = !activeSince.isAfter(deadline.from());
      state = deadline.node().equals(Deadline.ALL) ? State.MET : known || !wasWatched ? State.NOT_SEEN : State.MISSED;
    }
    DeadlineStatus status = new DeadlineStatus(deadline, state, utilization,
        (long) Math.min(forecastSec, TimeUnit.DAYS.toSeconds(10_000)), bytes, blocked, late, known);
    states.put(deadline, state);
    report(status, before, now);
    return status;
  }

  /** What the nodes that have just begun to leave add, as is expected while nothing is measured. */
  private static long unmeasuredSeconds(List<Leaving> nodes, double utilization, DeadlineForecast forecast) {
    long bytes = nodes.stream().filter(node -> !isMeasured(node)).mapToLong(node -> node.node().copiedBytes()).sum();
    return (long) Math.min(Integer.MAX_VALUE, forecast.seconds(bytes, utilization, utilization, -1));
  }

  /** In the first seconds few of the blocks that are being copied have ended, so the rate is much too low. */
  private static boolean isMeasured(Leaving leaving) {
    return leaving.etaSeconds() >= 0 && leaving.untilNs() - leaving.fromNs() >= SETTLED_NS;
  }

  private static State next(State before, boolean inTime, boolean noneLeaves, boolean nothingLeft, boolean atRisk) {
    // What is over covers no DataNode that begins to leave later.
    if (before == State.MISSED || before == State.NOT_SEEN || before == State.MET && !inTime
        || before == State.WAITING && noneLeaves) {
      return before;
    }
    if (noneLeaves || nothingLeft) {
      return State.MET;
    }
    return !inTime ? State.MISSED : atRisk ? State.AT_RISK : State.KEPT;
  }

  /** Warns at 30 % of the time, and says what has become of a deadline. */
  private void report(DeadlineStatus status, State before, Instant now) {
    Deadline deadline = status.deadline();
    double passed = seconds(deadline.from(), now) / seconds(deadline.from(), deadline.until());
    if (status.state() == State.AT_RISK && passed >= WARN_AFTER && warned.add(deadline)
        || status.state() == State.MISSED && before != State.MISSED) {
      LOG.warn("Dayu: the deadline of {} at {}: {}", deadline.node(), deadline.until(), status.describe());
    } else if (status.state() != before && status.state() != State.AT_RISK) {
      LOG.info("Dayu: the deadline of {} at {}: {}", deadline.node(), deadline.until(), status.describe());
    }
  }

  private static double seconds(Instant from, Instant until) {
    Duration between = Duration.between(from, until);
    return between.getSeconds() + between.getNano() / 1e9;
  }

  /** @param allowed what the admin allows the deadlines that are to be kept, at most */
  private void raise(double needed, double allowed, String origin) {
    double minUtilization = settings.maxUtilizationWithoutDeadline();
    double held = Math.min(raised, allowed);
    double next = needed <= minUtilization ? 0 : held > needed && held - needed < HYSTERESIS - ROUNDING ? held : needed;
    if (next != raised) {
      LOG.info("Dayu: alpha is {} now ({})", Math.max(next, minUtilization),
          next == 0 ? "no deadline needs more" : origin);
    }
    raised = next;
    settings.raiseMaxUtilization(next, origin);
  }
}
