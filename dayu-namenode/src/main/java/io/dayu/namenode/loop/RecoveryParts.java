/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.agents.ReportResponder;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.schedule.PlanningAlgorithm;

import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/**
 * The parts of Dayu on one NameNode, put together: on threads of their own in production, driven by a simulated clock
 * in the fault sequences. Immutable.
 *
 * @param status state and counters
 * @param suspension the switch of the stock policy
 * @param registrations pending copies that are still registered
 * @param agents what is known of the agents
 * @param responder answers agents' reports
 * @param controller recovers; called by one thread
 * @param watchdog resumes stock re-replication when the controller is silent
 */
public record RecoveryParts(DayuStatus status, StockSuspension suspension, PendingRegistrations registrations,
    AgentRegistry<AgentState> agents,
    ReportResponder responder, RecoveryController controller, Watchdog watchdog) {

  /**
   * Puts the parts together.
   *
   * @param clockNs the clock by which ticks come
   * @param wallClockMs milliseconds since the epoch
   * @param responses where deferred responses are given; shut down with the responder
   */
  public static RecoveryParts of(BlockManagement blocks, Settings settings, PlanningAlgorithm algorithm,
      String namenodeId,
      LongSupplier clockNs,
      LongSupplier wallClockMs, ScheduledExecutorService responses) {
    DayuStatus status = new DayuStatus();
    status.lockHolds(blocks.lockHolds());
    PendingRegistrations registrations = new PendingRegistrations(blocks);
    StockSuspension suspension = new StockSuspension(blocks, clockNs.getAsLong());
    // With the NameNode's own string a look-up of an agent seldom compares characters.
    AgentRegistry<AgentState> agents = new AgentRegistry<>(
        (uuid, nowNs) -> new AgentState(Objects.requireNonNullElse(blocks.ownUuid(uuid), uuid), nowNs));
    ReportResponder responder = new ReportResponder(agents, settings, namenodeId, clockNs, responses);
    RecoveryController controller =
        new RecoveryController(blocks, settings, algorithm, agents, responder, suspension, registrations, status,
            namenodeId, clockNs, wallClockMs, clockNs.getAsLong());
    LongSupplier watchdogMs =
        () -> Math.max(settings.millis(Setting.WATCHDOG_TIMEOUT), 2 * settings.millis(Setting.TIMESLOT_INTERVAL));
    Watchdog watchdog = new Watchdog(suspension, registrations, status, watchdogMs, settings.millis(Setting.LEASE));
    return new RecoveryParts(status, suspension, registrations, agents, responder, controller, watchdog);
  }
}
