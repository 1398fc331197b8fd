/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.admin.AdminException;
import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.WaitReason;
import io.dayu.conf.Settings;
import io.dayu.namenode.loop.AdminControl;
import io.dayu.namenode.loop.LoopRequests;
import io.dayu.namenode.loop.RecoveryController;
import io.dayu.namenode.loop.RecoveryParts;
import io.dayu.namenode.loop.StockSuspension;
import io.dayu.namenode.monitor.RecoveryMonitor;
import io.dayu.namenode.monitor.RecoveryProgress.Progress;
import io.dayu.namenode.status.DayuStatus;
import org.apache.hadoop.util.VersionInfo;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import static io.dayu.namenode.admin.AdminViews.ordered;

/** The status of recovery on this NameNode as JSON. Thread-safe. */
final class StatusView {
  private static final ObjectMapper JSON = new ObjectMapper();
  /** How long the status waits for the loop, which may hang: monitoring asks for it often. */
  private static final long STATUS_WAIT_MS = 500;

  private final String namenodeId;
  private final String version;
  private final RecoveryController controller;
  private final DayuStatus status;
  private final StockSuspension suspension;
  private final BlockManagement blocks;
  private final BlockInspection inspection;
  private final Settings settings;
  private final AdminViews views;
  private final RecoveryMonitor monitor;
  private final LoopRequests requests;

  StatusView(String namenodeId, String version, RecoveryParts recovery, BlockManagement blocks,
      BlockInspection inspection, Settings settings, AdminViews views, RecoveryMonitor monitor, LoopRequests requests) {
    this.namenodeId = namenodeId;
    this.version = version;
    this.controller = recovery.controller();
    this.status = recovery.status();
    this.suspension = recovery.suspension();
    this.blocks = blocks;
    this.inspection = inspection;
    this.settings = settings;
    this.views = views;
    this.monitor = monitor;
    this.requests = requests;
  }

  /** Works also while the loop hangs, then without the values that only the loop knows. */
  Map<String, Object> status(boolean fromPage) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("namenode", namenodeId);
    view.put("version", version);
    view.put("hadoopVersion", VersionInfo.getVersion());
    view.putAll(fields(status.explained()));
    view.put("safeMode", blocks.inSafeMode());
    AdminControl control = controller.adminControl();
    Map<String, Object> lastCommand = fields(control.modeChange());
    lastCommand.put("askingPeers", control.isAskingPeers());
    view.put("control", lastCommand);
    view.put("loopSilentMs",
        TimeUnit.NANOSECONDS.toMillis(Math.max(0, suspension.silentNs(System.nanoTime()))));
    view.put("recovery", recovery(monitor.progress()));
    view.put("stockRecovery", monitor.stockProgress());
    view.put("queues", queues());
    view.put("timeslot", timeslot());
    view.put("profile", ordered("name", settings.profile().word(), "origin", settings.profileOrigin()));
    view.put("settings", SettingsView.changed(settings));
    view.put("unknownSettings", settings.unknownKeys());
    try {
      view.put("agents", requests.call(fromPage, () -> views.agents(System.nanoTime()), STATUS_WAIT_MS));
    } catch (AdminException e) {
      view.put("warning", e.getMessage());
    }
    return view;
  }

  private Map<String, Object> recovery(Progress now) {
    Map<String, Object> view = fields(now);
    if (controller.adminControl().paused()) {
      view.put("etaSeconds", -1);
      view.put("etaError", -1.0);
    }
    return view;
  }

  /** A record as JSON has it. */
  static Map<String, Object> fields(Record of) {
    return JSON.convertValue(of, new TypeReference<LinkedHashMap<String, Object>>() {
    });
  }

  private Map<String, Object> queues() {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("waitingBlocks", blocks.waitingBlocks());
    long[] waitingByRisk = LongStream.range(0, BlockInspection.RISKS)
        .map(risk -> inspection.waitingBlocks((int) risk)).toArray();
    view.put("highestRiskBlocks", waitingByRisk[0]);
    view.put("waitingByRisk", waitingByRisk);
    view.put("unplaceableBlocks", monitor.unplaceableBlocks());
    view.put("waitReasons", waitReasons(waitingByRisk));
    view.put("secondsSinceEmpty", monitor.secondsSinceEmpty(System.nanoTime()));
    view.put("missingBlocks", inspection.missingBlocks());
    view.put("runningTransfers", status.getRunningTransfers());
    view.put("stockPendingBlocks", monitor.stockPendingBlocks());
    view.put("stockReconstructionBytes", controller.cluster().reconstructionBytes());
    return view;
  }

  /** How many blocks wait for a reason, as JSON. */
  private record WaitReasonCount(WaitReason reason, String text, long blocks, long[] byRisk) {
    static WaitReasonCount of(WaitReason reason, long[] byRisk) {
      return new WaitReasonCount(reason, reason.ofMany(), LongStream.of(byRisk).sum(), byRisk);
    }
  }

  /**
   * Why blocks wait, the most frequent reason first. The reasons were counted up to a second ago.
   *
   * @param waitingByRisk how many wait now: no more have a reason
   */
  private List<WaitReasonCount> waitReasons(long[] waitingByRisk) {
    long[] left = waitingByRisk.clone();
    return monitor.waitReasons().entrySet().stream()
        .map(one -> WaitReasonCount.of(one.getKey(), taken(left, one.getValue())))
        .filter(one -> one.blocks() > 0)
        .sorted(Comparator.comparingLong(WaitReasonCount::blocks).reversed()).toList();
  }

  /** By risk, as many as are wanted and left; they are taken from those that are left. */
  private static long[] taken(long[] left, long[] wanted) {
    long[] taken = new long[left.length];
    for (int risk = 0; risk < left.length; risk++) {
      taken[risk] = Math.min(left[risk], wanted[risk]);
      left[risk] -= taken[risk];
    }
    return taken;
  }

  Map<String, Object> timeslot() {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("number", status.getTimeslot());
    view.put("planned", status.getLastPlanned());
    view.put("rejected", status.getLastRejected());
    view.put("finished", status.getLastFinished());
    view.put("planMillis", status.getLastPlanMillis());
    return view;
  }
}
