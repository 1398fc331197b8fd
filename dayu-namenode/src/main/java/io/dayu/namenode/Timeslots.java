/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.CommitResult;
import io.dayu.blocks.CommitResult.Verdict;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.NeededBlock;
import io.dayu.blocks.TransferRequest;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TimeslotPlan;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.schedule.WorkLeft;

import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Timeslot after timeslot: when one is due, takes work from the NameNode's queues, has it planned without any lock, commits it and
 * directs what is running. Owned by the recovery loop; not thread-safe.
 */
final class Timeslots {
  private static final Logger LOG = LoggerFactory.getLogger(Timeslots.class);

  /** Blocks of the highest risk that are read anew in each timeslot. */
  private static final int HIGHEST_RISK_LIMIT = 2_000;
  /** Short holds of the lock in which one timeslot may read further work. */
  private static final int READS_PER_TIMESLOT = 40;

  private final BlockManagerAccess blocks;
  private final Settings settings;
  private final TimeslotScheduler scheduler;
  private final StockParking parking;
  private final AttemptBook book;
  private final BlockHistory history;
  private final StockHandover handover;
  private final DayuStatus status;
  private final TaskPool pool = new TaskPool();

  private long timeslot;
  private long lastPlanNs;
  /** After which time the next plan is due. */
  private long periodNs;
  private int grantedAtPlan;
  private long waitingAtPlan;
  private long waitingBeforePlan;

  Timeslots(BlockManagerAccess blocks, Settings settings, TimeslotScheduler scheduler, StockParking parking, AttemptBook book,
      BlockHistory history, StockHandover handover, DayuStatus status) {
    this.blocks = blocks;
    this.settings = settings;
    this.scheduler = scheduler;
    this.parking = parking;
    this.book = book;
    this.history = history;
    this.handover = handover;
    this.status = status;
  }

  /** Begins anew, with a timeslot due at once. */
  void begin(long nowNs) {
    clear();
    timeslot = 0;
    lastPlanNs = nowNs - periodNs;
  }

  /** Forgets the work that was taken; the NameNode's queues still have it. */
  void clear() {
    pool.clear();
    periodNs = TimeUnit.MILLISECONDS.toNanos(settings.millis(Setting.TIMESLOT_INTERVAL));
    grantedAtPlan = 0;
    waitingAtPlan = 0;
    waitingBeforePlan = 0;
  }

  /**
   * A timeslot ends after T, near the end of a recovery sooner; early when half of what it had is done, a transfer has lost its source,
   * or most blocks are new: the NameNode may be in the midst of finding out what a dead node held when the first of them is seen.
   */
  boolean isDue(long nowNs) {
    long sinceNs = nowNs - lastPlanNs;
    long timeslotNs = TimeUnit.MILLISECONDS.toNanos(settings.millis(Setting.TIMESLOT_INTERVAL));
    if (sinceNs < Math.min(periodNs, timeslotNs / 3)) {
      return false;
    }
    long waiting = blocks.waitingBlocks();
    boolean newWork = waiting > 0 && (grantedAtPlan > 0 || waiting != waitingAtPlan);
    boolean early = book.takeNeedsPlan() || newWork && book.liveCount() * 2 <= grantedAtPlan || waiting / 2 > waitingBeforePlan;
    return early || sinceNs >= periodNs && (waiting > 0 || !book.isEmpty());
  }

  /**
   * Plans one timeslot and sees it through the NameNode's books.
   *
   * @param liveNodes by UUID, as of now
   * @param loads what the live agents last reported, by UUID
   */
  void plan(Map<String, LiveNode> liveNodes, Map<String, LoadProto> loads, long nowNs) {
    lastPlanNs = nowNs;
    timeslot++;
    waitingBeforePlan = blocks.waitingBlocks();
    takeWork();
    List<LiveNode> nodes = new ArrayList<>(liveNodes.values());
    nodes.sort(Comparator.comparing(LiveNode::uuid));
    PlanningView view = new PlanningView(settings, nodes, loads, pool.byRisk(), history, PlanningView.plannable(book.all(), nodes),
        nowNs);
    // How near the end is cannot be told from a part of the work.
    ClusterSnapshot snapshot = pool.isWhole(waitingBeforePlan) ? view.snapshot
        : view.snapshot.with(view.snapshot.parameters().farFromTheEnd());
    long planStartNs = System.nanoTime();
    TimeslotPlan plan = scheduler.plan(snapshot);
    periodNs = TimeUnit.MILLISECONDS.toNanos(WorkLeft.timeslotMs(snapshot));
    long planMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - planStartNs);
    directRunning(view, plan, nowNs);
    long rejected = commitNew(view, plan, nowNs);
    handover.offer(view.unplaceable, nowNs);
    view.unplaceable.forEach(block -> pool.remove(block.key()));
    grantedAtPlan = book.liveCount();
    waitingAtPlan = blocks.waitingBlocks();
    long planned = plan.count() - rejected;
    long finished = book.takeFinished();
    status.count(planned, rejected);
    status.timeslot(new DayuStatus.Timeslot(timeslot, planned, rejected, finished, planMs));
    String summary = String.format("Dayu: timeslot %d: planned %d, rejected %d, finished %d, failed %d, running %d, waiting %d, "
        + "left to stock %d; %d bytes under way, %d fit the horizon; plan %d ms", timeslot, planned, rejected, finished,
        book.takeFailed(), grantedAtPlan, waitingAtPlan, view.unplaceable.size(), plan.plannedBytes(), plan.volumeBytes(), planMs);
    if (planned + rejected + finished + grantedAtPlan > 0) {
      LOG.info(summary);
    } else {
      LOG.debug(summary);
    }
  }

  /** Reads the head of the queues again and goes on with the rest where the last timeslot stopped. */
  private void takeWork() {
    pool.put(blocks.readHighestRisk(HIGHEST_RISK_LIMIT));
    List<NeededBlock> read = new ArrayList<>();
    boolean ended = false;
    for (int i = 0; i < READS_PER_TIMESLOT && !ended && pool.size() + read.size() < TaskPool.LIMIT; i++) {
      ended = blocks.readNext(read);
    }
    pool.put(read);
    if (ended) {
      pool.endPass();
    }
  }

  private void directRunning(PlanningView view, TimeslotPlan plan, long nowNs) {
    for (int r = 0; r < view.running.size(); r++) {
      Attempt attempt = view.running.get(r);
      int source = plan.runningSource()[r];
      if (source == TimeslotPlan.EVICTED) {
        book.cancel(attempt, "evicted from a saturated target", nowNs);
      } else if (source != TimeslotPlan.NO_SOURCE) {
        book.direct(attempt, view.nodes.get(source).uuid(), plan.runningRateBytesPerSec()[r]);
      }
    }
  }

  private long commitNew(PlanningView view, TimeslotPlan plan, long nowNs) {
    List<TransferRequest> requests = new ArrayList<>(plan.count());
    for (int i = 0; i < plan.count(); i++) {
      NeededBlock block = view.waiting.get(plan.task()[i]);
      requests.add(new TransferRequest(block.key(), block.numBytes(), block.risk(), view.nodes.get(plan.source()[i]).uuid(),
          view.nodes.get(plan.target()[i]).uuid(), block.storageTypes()));
    }
    List<CommitResult> results = blocks.commit(requests, parking::parked);
    long rejected = 0;
    for (int i = 0; i < requests.size(); i++) {
      TransferRequest request = requests.get(i);
      CommitResult result = results.get(i);
      if (result.committed()) {
        book.grant(request, view.waiting.get(plan.task()[i]).sources(), result, plan.rateBytesPerSec()[i]);
      } else {
        rejected++;
        LOG.debug("BLOCK* Dayu: {} from {} to {} was rejected: {} ({})", request.block(), request.source(),
            request.target(), result.verdict(), result.reason());
        if (result.verdict() == Verdict.TARGET_REFUSED) {
          history.refuse(request.block(), request.target(), nowNs);
        }
      }
      if (result.verdict() != Verdict.TARGET_REFUSED) {
        pool.remove(request.block());
      }
    }
    return rejected;
  }
}
