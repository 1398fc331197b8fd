/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import io.dayu.admin.AdminException;
import io.dayu.admin.AdminOperations;
import io.dayu.admin.AdminRequest;
import io.dayu.admin.ExitCode;
import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.BlockManagement;
import io.dayu.conf.BadSettingException;
import io.dayu.conf.Deadline;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.loop.AdminControl;
import io.dayu.namenode.loop.AdminControl.Mode;
import io.dayu.namenode.loop.AdminControl.ModeChange;
import io.dayu.namenode.loop.LoopRequests;
import io.dayu.namenode.loop.PauseRequest;
import io.dayu.namenode.loop.RecoveryController;
import io.dayu.namenode.loop.RecoveryParts;
import io.dayu.namenode.monitor.RecoveryMonitor;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.RecoveryState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import static io.dayu.namenode.admin.AdminViews.ordered;

/**
 * Carries admins' commands out on this NameNode. {@link #run} is called by RPC handlers and has the recovery loop do
 * the work between two ticks.
 */
public final class AdminService implements AdminOperations {
  private static final Logger LOG = LoggerFactory.getLogger(AdminService.class);

  private static final int MAX_NOTE = 500;
  /** Blocks that one command explains. */
  private static final int MAX_EXPLAINED = 20;

  private final String namenodeId;
  private final RecoveryController controller;
  private final DayuStatus status;
  private final Settings settings;
  private final LoopRequests requests;
  private final AdminViews views;
  private final DryRun dryRun;
  private final BlockExplanation explanation;
  private final RecoveryMonitor monitor;
  private final LeavingView leaving;
  private final StatusView statusView;
  private final SettingChange settingChange;

  public AdminService(String namenodeId, String version, RecoveryParts recovery, BlockManagement blocks,
      BlockInspection inspection,
      Settings settings, DryRun dryRun, RecoveryMonitor monitor, LoopRequests requests) {
    this.namenodeId = namenodeId;
    this.controller = recovery.controller();
    this.status = recovery.status();
    this.settings = settings;
    this.requests = requests;
    this.views = new AdminViews(controller, blocks, recovery.agents(), settings, version);
    this.dryRun = dryRun;
    this.monitor = monitor;
    this.leaving = new LeavingView(controller, status, settings, monitor.leaving(), monitor.deadlines());
    this.explanation = new BlockExplanation(controller, status, blocks, inspection, views, dryRun);
    this.statusView =
        new StatusView(namenodeId, version, recovery, blocks, inspection, settings, views, monitor, requests);
    this.settingChange = new SettingChange(namenodeId, controller, settings, requests);
  }

  @Override
  public Map<String, Object> run(AdminRequest request) throws AdminException {
    return switch (request.command()) {
      case STATUS -> statusView.status(request.isOfAnyone());
      case NODES -> whileActive(request.isOfAnyone(), nowNs -> Map.of("nodes", views.nodes(nowNs)));
      case PLAN -> whileActive(request.isOfAnyone(), this::plan);
      case LEAVING -> whileActive(request.isOfAnyone(), nowNs -> leaving.view());
      case DRY_RUN -> whileActive(false, this::dryRun);
      case EXPLAIN -> explain(request.argument());
      case PAUSE -> pause(request);
      case RESUME -> changeMode(Mode.RUN, request);
      case STOCK -> changeMode(Mode.STOCK, request);
      case SHADOW -> changeMode(Mode.SHADOW, request);
      case SET -> settingChange.set(request);
      case DEADLINE -> deadline(request);
    };
  }

  /** What the loop does for a command. */
  private interface Work {
    Map<String, Object> at(long nowNs) throws AdminException;
  }

  private Map<String, Object> whileActive(boolean fromPage, Work work) throws AdminException {
    return requests.call(fromPage, () -> {
      if (status.state() == RecoveryState.STANDBY) {
        throw new AdminException(ExitCode.STANDBY,
            "this NameNode is not active, or has not left safe mode since its start");
      }
      return work.at(System.nanoTime());
    });
  }

  /** Every setting that NameNodes read, in their order. */
  public List<Map<String, Object>> allSettings() {
    return SettingsView.all(settings);
  }

  private Map<String, Object> plan(long nowNs) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("timeslot", statusView.timeslot());
    view.put("transfers", views.transfers(nowNs));
    return view;
  }

  private Map<String, Object> dryRun(long nowNs) {
    Map<String, Object> view = views.decision(dryRun.plan(nowNs));
    view.put("mode", controller.adminControl().modeChange().mode().word());
    return view;
  }

  /** Explains one block, or several, with commas between them, in {@code blocks}. */
  private Map<String, Object> explain(String argument) throws AdminException {
    List<BlockName> names = new ArrayList<>();
    for (String text : argument.split(",")) {
      names.add(BlockName.parse(text.trim()));
    }
    if (names.size() > MAX_EXPLAINED) {
      throw new AdminException(ExitCode.REFUSED, "more than " + MAX_EXPLAINED + " blocks");
    }
    return whileActive(false, nowNs -> {
      List<BlockExplanation.Explained> found = explanation.of(names.stream().map(BlockName::id).toList(), nowNs);
      for (int i = 0; i < found.size(); i++) {
        if (found.get(i) == null) {
          throw new AdminException(ExitCode.REFUSED,
              "this NameNode has no block blk_" + names.get(i).id() + "; it may have been deleted");
        }
        names.get(i).checkIs(found.get(i).block());
      }
      return found.size() == 1 ? StatusView.fields(found.get(0)) : Map.of("blocks", found);
    });
  }

  /** Changes what holds, and returns what held before. */
  private interface Change {
    ModeChange apply(AdminControl adminControl, String note, long nowMs) throws AdminException;
  }

  private Map<String, Object> pause(AdminRequest request) throws AdminException {
    return changeMode(Mode.PAUSED, request, (adminControl, argument, nowMs) -> {
      PauseRequest pause = PauseRequest.parse(argument);
      if (status.state() == RecoveryState.STOCK && !adminControl.leftToStock()) {
        throw new AdminException(ExitCode.REFUSED,
            "stock HDFS recovers now and cannot be paused by Dayu: " + status.getStateReason());
      }
      return adminControl.pause(pause, request.user(), nowMs);
    });
  }

  private Map<String, Object> changeMode(Mode mode, AdminRequest request) throws AdminException {
    return changeMode(mode, request,
        (adminControl, note, nowMs) -> adminControl.command(mode, request.user(), note, nowMs));
  }

  private Map<String, Object> changeMode(Mode mode, AdminRequest request, Change change) throws AdminException {
    if (request.argument().length() > MAX_NOTE) {
      throw new AdminException(ExitCode.REFUSED, "the note is longer than " + MAX_NOTE + " characters");
    }
    return requests.call(false, () -> {
      AdminControl adminControl = controller.adminControl();
      ModeChange before = change.apply(adminControl, request.argument().replaceAll("[\\s\\p{Cntrl}]+", " "),
          System.currentTimeMillis());
      long nowNs = System.nanoTime();
      monitor.reminded(nowNs);
      controller.adminControlChanged(nowNs);
      Map<String, Object> view = new LinkedHashMap<>();
      view.put("namenode", namenodeId);
      view.put("control", adminControl.modeChange());
      view.put("before", before);
      String startupMode = settings.choice(Setting.STARTUP_MODE);
      if (mode == Mode.RUN && !startupMode.equals(Mode.RUN.word())) {
        view.put("warning", "remove " + Setting.STARTUP_MODE.key()
            + " from hdfs-site.xml, so that the next restart does not go back to " + startupMode);
      }
      return view;
    });
  }

  private Map<String, Object> deadline(AdminRequest request) throws AdminException {
    return requests.call(false, () -> {
      long nowMs = System.currentTimeMillis();
      try {
        DeadlineRequest wanted =
            DeadlineRequest.parse(request.argument(), Instant.ofEpochMilli(nowMs), settings.timeZone());
        if (wanted.deadline().isPresent()) {
          leaving.checkName(wanted.deadline().get());
        }
        String text = Deadline.text(wanted.addedTo(settings.deadlines(), Instant.ofEpochMilli(nowMs)));
        settings.change(Setting.DECOMMISSION_DEADLINES, text, "set by " + request.user() + " at "
            + Instant.ofEpochMilli(nowMs).truncatedTo(ChronoUnit.SECONDS) + ", not in hdfs-site.xml", nowMs);
        LOG.info("Dayu: deadline of {}: {} by {}", wanted.node(),
            wanted.deadline().map(one -> one.until().toString()).orElse("none"), request.user());
        boolean active = status.state() != RecoveryState.STANDBY;
        monitor.deadlines().look(active, System.nanoTime(), Instant.ofEpochMilli(nowMs));
        return ordered("namenode", namenodeId, "node", wanted.node(), "untilMs",
            wanted.deadline().map(one -> one.until().toEpochMilli()).orElse(0L), "forecast",
            leaving.deadlines().stream()
                .filter(one -> one.get("node").equals(wanted.node())).toList());
      } catch (BadSettingException | IllegalArgumentException e) {
        throw new AdminException(ExitCode.REFUSED, e.getMessage());
      }
    });
  }
}
