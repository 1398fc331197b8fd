/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.exchange.NodeLoad;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Finds slow transfers when nothing waits to be planned, and decides what is to be done about them.
 * {@code TransferCoordinator} carries that out. Owned by the recovery loop; not thread-safe.
 *
 * <p><b>Goal.</b> At the end of a recovery the last blocks must not wait for a node whose link has become slow.
 * {@code SlowLinks} may not find it, since few transfers are left, and {@link StalledTransfers} looks at a minute.
 *
 * <p><b>Rule.</b> Progress is measured from report to report of the target's agent, while clients leave recovery more
 * than B_min at both ends, and the target's disks are not the limit. A transfer that in {@link #WINDOW_NS} of such time
 * has received less than {@link #MIN_SHARE} of its grant is slow. First it gets another source. If it is slow from that
 * one, too, it gets another target, unless it would be complete sooner where it is. A transfer without another source
 * is left alone: it cannot be told which of its ends is slow.
 *
 * <p>Nor does time count in which transfers at the highest risk go before it ({@link HighestRiskNodes}).
 */
public final class SlowTransfers {
  private static final Logger LOG = LoggerFactory.getLogger(SlowTransfers.class);

  private static final double NS_PER_SEC = 1e9;
  private static final double MIN_SHARE = 0.1;
  private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(5);
  /** At long report intervals a single report says little. */
  private static final int MIN_REPORTS = 3;
  /** Ten packets. Of a smaller grant too little may have arrived only because the next packet is not due yet. */
  private static final double MIN_GRANTED_BYTES = 640 << 10;
  /** A transfer that finds no other source, although there is one, is given up the third time. */
  private static final int MAX_TIMES = 3;
  /** Time until the block is under way to another target. */
  private static final double RESTART_SEC = 3;

  /**
   * What is to be done.
   *
   * @param slowSource transfers that are to get another source in the place of their slowest
   * @param slowTarget transfers that are to be cancelled; their blocks are to avoid their targets for a while
   */
  public record Decision(List<Attempt> slowSource, List<Attempt> slowTarget) {
  }

  /** What a transfer was granted and has received since the measurement began. */
  private static final class Progress {
    private final Set<String> slowSources = new HashSet<>();
    private int timesSlow;
    private long reportedNs;
    private long rateBytesPerSec;
    private long doneBytes;
    private int reports;
    private long durationNs;
    private double grantedBytes;
    private long receivedBytes;

    /** Begins anew, with the next report. */
    void restart(Attempt attempt) {
      reportedNs = attempt.reportedNs();
      rateBytesPerSec = attempt.rateBytesPerSec();
      doneBytes = attempt.doneBytes();
      reports = 0;
      durationNs = 0;
      grantedBytes = 0;
      receivedBytes = 0;
    }

    /** @param counts whether the time since the report before counts */
    void reported(Attempt attempt, boolean counts) {
      if (counts) {
        long sinceNs = attempt.reportedNs() - reportedNs;
        reports++;
        durationNs += sinceNs;
        // A higher rate than before may have been granted just now.
        grantedBytes += Math.min(rateBytesPerSec, attempt.rateBytesPerSec()) * (sinceNs / NS_PER_SEC);
        receivedBytes += attempt.doneBytes() - doneBytes;
      }
      reportedNs = attempt.reportedNs();
      rateBytesPerSec = attempt.rateBytesPerSec();
      doneBytes = attempt.doneBytes();
    }

    boolean isMeasured() {
      return durationNs >= WINDOW_NS && reports >= MIN_REPORTS && grantedBytes >= MIN_GRANTED_BYTES;
    }

    boolean isSlow() {
      return receivedBytes < MIN_SHARE * grantedBytes;
    }

    /** Whether another target would have the whole block sooner than this one has the rest. */
    boolean isWorthRestart(Attempt attempt) {
      double sec = durationNs / NS_PER_SEC;
      double restSec = (attempt.request().numBytes() - attempt.doneBytes()) / (receivedBytes / sec);
      return restSec > RESTART_SEC + attempt.request().numBytes() / (grantedBytes / sec);
    }
  }

  private final AgentRegistry<AgentState> agents;
  private final Settings settings;
  private final HighestRiskNodes highestRisk;
  private Map<Long, Progress> progress = new HashMap<>();

  public SlowTransfers(AgentRegistry<AgentState> agents, Settings settings, HighestRiskNodes highestRisk) {
    this.agents = agents;
    this.settings = settings;
    this.highestRisk = highestRisk;
  }

  /** Looks at the progress of these transfers, all that are under way, while nothing waits to be planned. */
  public Decision decide(List<Attempt> transfers) {
    Map<Long, Progress> known = progress;
    progress = new HashMap<>();
    NodeBandwidth bandwidth = new NodeBandwidth(settings);
    List<Attempt> slowSource = new ArrayList<>();
    List<Attempt> slowTarget = new ArrayList<>();
    for (Attempt attempt : transfers) {
      if (attempt.live()) {
        Progress one = known.get(attempt.id());
        if (one == null) {
          one = new Progress();
          one.restart(attempt);
        }
        progress.put(attempt.id(), one);
        boolean canTell = !one.slowSources.isEmpty() || attempt.hasOtherSource();
        if (one.doneBytes == 0 || attempt.rateBytesPerSec() == 0 || attempt.sourceLost() || !canTell) {
          one.restart(attempt);
        } else if (attempt.reportedNs() != one.reportedNs) {
          one.reported(attempt, !highestRisk.goBefore(attempt) && hasRoom(attempt, bandwidth));
          judge(attempt, one, slowSource, slowTarget);
        }
      }
    }
    return new Decision(slowSource, slowTarget);
  }

  private static void judge(Attempt attempt, Progress one, List<Attempt> slowSource, List<Attempt> slowTarget) {
    if (!one.isMeasured()) {
      return;
    }
    if (one.isSlow()) {
      TransferSource source = attempt.slowestSource();
      LOG.debug("BLOCK* Dayu: {} on {} receives {} of {} bytes granted from {}", attempt.replica(), attempt.target(),
          one.receivedBytes, (long) one.grantedBytes, source == null ? "several nodes" : source.node());
      if (source != null) {
        one.slowSources.add(source.node());
      }
      one.timesSlow++;
      if (one.slowSources.size() <= 1 && one.timesSlow < MAX_TIMES) {
        if (source != null && attempt.hasOtherSource()) {
          slowSource.add(attempt);
        }
      } else if (one.isWorthRestart(attempt)) {
        slowTarget.add(attempt);
      }
    }
    one.restart(attempt);
  }

  /** Forgets what was measured: work waits again, or nothing is planned. */
  public void clear() {
    progress = new HashMap<>();
  }

  /** Whether clients leave recovery more than B_min at all ends, and the target's disks take it, by agents' word. */
  private boolean hasRoom(Attempt attempt, NodeBandwidth bandwidth) {
    AgentState target = agents.get(attempt.target());
    NodeLoad in = target.load;
    if (in == null || target.waitsForDisks() || !hasRoom(in.in(), bandwidth)) {
      return false;
    }
    for (TransferSource one : attempt.sources()) {
      AgentState source = agents.get(one.node());
      NodeLoad out = source == null ? null : source.load;
      if (out == null || !hasRoom(out.out(), bandwidth)) {
        return false;
      }
    }
    return true;
  }

  private boolean hasRoom(NodeLoad.Link link, NodeBandwidth bandwidth) {
    return bandwidth.recover(link) > settings.minBytesPerSec(link.capacityBytesPerSec());
  }
}
