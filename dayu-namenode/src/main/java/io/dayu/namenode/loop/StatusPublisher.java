/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.CommitResult;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.FailureCause;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.EndedTransfer;
import io.dayu.namenode.transfers.TransferTracker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;

/**
 * Publishes what the recovery does: to {@link DayuStatus}, and in one line of the log for each timeslot. Owned by the
 * recovery loop; not thread-safe.
 */
final class StatusPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(StatusPublisher.class);

  private static final int DESCRIBED_TRANSFERS = 100;
  /**
   * After this number of timeslots with work in a row, as in a long drain, INFO has only one line for as many, and for
   * the first of several in a row whose plan takes too long.
   */
  private static final int LOGGED_TIMESLOTS = 30;

  private final BlockManagement blocks;
  private final Settings settings;
  private final TransferTracker tracker;
  private final DayuStatus status;
  private long timeslot;
  private long timeslotsWithWork;
  /** Whether the last plan took too long. */
  private boolean overran;
  /** Transfers that have finished and failed since the last timeslot. */
  private long finished;
  private long failed;
  /** Those of the failed whose target has another internal block of the group to delete, or has just deleted one. */
  private long awaitDeletion;

  StatusPublisher(BlockManagement blocks, Settings settings, TransferTracker tracker, DayuStatus status) {
    this.blocks = blocks;
    this.settings = settings;
    this.tracker = tracker;
    this.status = status;
  }

  /** Begins an activation: timeslots are numbered anew. */
  void activate() {
    timeslot = 0;
  }

  /**
   * Publishes what a timeslot has come to, and what is under way since then: that first, so that nobody who sees the
   * new timeslot sees what was under way before it.
   *
   * @param results of its new transfers
   * @param planMs from the start of reading what to plan to the end of the commits
   */
  void timeslot(TimeslotDecision decision, List<CommitResult> results, long planMs, int liveAgents) {
    progress(liveAgents);
    timeslot++;
    long planned = results.stream().filter(CommitResult::committed).count();
    long rejected = results.size() - planned;
    int running = tracker.liveCount();
    long stragglers = decision.evicted().size() + decision.redirected().size();
    status.counters().countTimeslot(results, stragglers, decision.evicted().size(), planMs);
    status.timeslot(new DayuStatus.Timeslot(timeslot, planned, rejected, finished, planMs,
        stragglers, decision.evicted().size(), running, blocks.waitingBlocks()));
    decision.forStock()
        .forEach(one -> LOG.debug("BLOCK* Dayu: {} is left to stock: {}", one.block().key(), one.reason()));
    boolean overrun = planMs > settings.millis(Setting.TIMESLOT_LEAD);
    if (overrun) {
      status.counters().countPlanOverrun();
    }
    String summary = String.format("Dayu: timeslot %d: planned %d, rejected %d, finished %d, failed %d%s, running %d, "
        + "waiting %d, left to stock %d; %d bytes under way, %d fit the horizon; plan %d ms%s", timeslot, planned,
        rejected, finished, failed, awaitDeletion == 0 ? "" : ", of which " + awaitDeletion + " await a deletion",
        running, blocks.waitingBlocks(), decision.forStock().size(), decision.plannedBytes(), decision.volumeBytes(),
        planMs, overrun ? ", longer than dayu.timeslot.lead" : "");
    timeslotsWithWork = planned + rejected + finished + running > 0 ? timeslotsWithWork + 1 : 0;
    if (timeslotsWithWork > 0
        && (timeslotsWithWork <= LOGGED_TIMESLOTS || timeslotsWithWork % LOGGED_TIMESLOTS == 0
            || overrun && !overran)) {
      LOG.info(summary);
    } else {
      LOG.debug(summary);
    }
    overran = overrun;
    finished = 0;
    failed = 0;
    awaitDeletion = 0;
  }

  /** Counts these for the next timeslot's summary. */
  void ended(List<EndedTransfer> ended) {
    for (EndedTransfer one : ended) {
      finished += one.result() == EndedTransfer.Result.FINISHED ? 1 : 0;
      failed += one.result() == EndedTransfer.Result.FAILED ? 1 : 0;
      awaitDeletion += one.cause() == FailureCause.DELETION ? 1 : 0;
    }
  }

  /** Publishes how far the transfers under way are. */
  void progress(int liveAgents) {
    long progressBytes = 0;
    long bytesPerSec = 0;
    List<String> described = new ArrayList<>();
    for (Attempt attempt : tracker.all()) {
      progressBytes += attempt.width() * attempt.doneBytes();
      if (attempt.live()) {
        bytesPerSec += attempt.width() * attempt.achievedBytesPerSec();
        if (described.size() < DESCRIBED_TRANSFERS) {
          described.add(attempt.describe(blocks::nameOf));
        }
      }
    }
    status.progress(new DayuStatus.TransferProgress(blocks.waitingBlocks(), tracker.liveCount(), progressBytes,
        bytesPerSec, liveAgents, described));
  }
}
