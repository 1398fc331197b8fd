/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.BlockManagement;
import io.dayu.conf.Settings;
import io.dayu.namenode.admin.DryRun;
import io.dayu.namenode.admin.ShadowPlanner;
import io.dayu.namenode.agents.ReportBounds;
import io.dayu.namenode.loop.AdminControl.Mode;
import io.dayu.namenode.loop.AdminControl.ModeChange;
import io.dayu.namenode.loop.LoopRequests;
import io.dayu.namenode.loop.RecoveryLoop;
import io.dayu.namenode.loop.RecoveryParts;
import io.dayu.namenode.monitor.RecoveryMonitor;
import io.dayu.namenode.status.DayuStatusMXBean;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.schedule.PlanningAlgorithm;
import io.dayu.schedule.TimeslotScheduler;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The production recovery of one NameNode, for tests that drive it from another package by a clock of their own. Not
 * thread-safe.
 */
public final class RecoveryDriver {
  private final RecoveryParts recovery;
  private RecoveryLoop loop;

  /** @param observer wraps the production scheduler that the settings ask for */
  public RecoveryDriver(BlockManagement blocks, Settings settings, UnaryOperator<TimeslotScheduler> observer,
      String namenodeId,
      LongSupplier clockNs, LongSupplier wallClockMs, ScheduledExecutorService responses) {
    PlanningAlgorithm algorithm = NameNodeRuntime.algorithm(settings);
    PlanningAlgorithm observed = new PlanningAlgorithm(() -> observer.apply(algorithm.newScheduler()),
        algorithm.forecasts(), algorithm.holdsRates(), algorithm.pressedSourcesFirst());
    recovery = RecoveryParts.of(blocks, settings, observed, namenodeId, clockNs, wallClockMs, responses);
  }

  /** As a tick of the recovery loop. */
  public void tick(long nowNs) {
    recovery.controller().tick(nowNs);
  }

  /** The production loop with all that follows it, for a thread of its own; {@link #stopLoop} ends it. */
  public Runnable loop(BlockManagement blocks, BlockInspection inspection, Settings settings) {
    DryRun dryRun = new DryRun(recovery.controller(), inspection, settings, NameNodeRuntime.algorithm(settings));
    RecoveryMonitor monitor = new RecoveryMonitor(recovery, blocks, inspection, settings,
        new ShadowPlanner(dryRun, settings, System.nanoTime())::tick, System.nanoTime());
    loop = new RecoveryLoop(recovery, new LoopRequests(), monitor::tick);
    return loop;
  }

  public void stopLoop() {
    loop.stop();
  }

  /** As a look of the watchdog. */
  public void watch(long nowNs) {
    recovery.watchdog().look(nowNs);
  }

  /** As an admin's {@code -pause -all} for ever, or {@code -resume}. */
  public void pause(boolean paused) {
    recovery.controller().adminControl()
        .set(new ModeChange(paused ? Mode.PAUSED : Mode.RUN, "admin", "", 0, Long.MAX_VALUE, true));
  }

  /** Has {@code wake} run when a report should not wait for the next tick. */
  public void onWakeUp(Runnable wake) {
    recovery.responder().onWakeUp(wake);
  }

  /** As a report that has passed the RPC service's checks of its caller. */
  public CompletableFuture<AgentCommandsProto> receive(ReportProto report, long nowNs) {
    try {
      ReportBounds.check(report);
    } catch (IOException e) {
      throw new IllegalArgumentException(e);
    }
    return recovery.responder().receive(report, nowNs);
  }

  /** The commands as last published, by the agent's UUID. */
  public Map<String, AgentCommandsProto> published() {
    Map<String, AgentCommandsProto> published = new TreeMap<>();
    for (AgentState agent : recovery.agents().all()) {
      if (agent.commands() != null) {
        published.put(agent.uuid, agent.commands());
      }
    }
    return published;
  }

  /** Pending copies that Dayu has registered and not unregistered. */
  public int registrations() {
    return recovery.registrations().size();
  }

  /** The same, each as block id and target's UUID. */
  public Set<String> registered() {
    return recovery.registrations().open().stream().map(copy -> copy.block().blockId() + " " + copy.target())
        .collect(Collectors.toSet());
  }

  /** The transfers whose source cannot serve them now, by attempt id: they wait for another one. */
  public Set<Long> withoutSource() {
    return recovery.controller().transfers().stream().filter(Attempt::sourceLost).map(Attempt::id)
        .collect(Collectors.toSet());
  }

  /** Bytes written to the journal, if the settings want one. */
  public long journalBytes() {
    return recovery.controller().journal().writtenBytes();
  }

  public long journalDropped() {
    return recovery.controller().journal().droppedEntries();
  }

  /** Ends the journal, if there is one. */
  public void closeJournal() {
    recovery.controller().journal().close();
  }

  public DayuStatusMXBean status() {
    return recovery.status();
  }
}
