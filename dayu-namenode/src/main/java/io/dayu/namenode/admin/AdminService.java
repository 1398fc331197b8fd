/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.admin.AdminException;
import io.dayu.admin.AdminOperations;
import io.dayu.admin.AdminRequest;
import io.dayu.admin.ExitCode;
import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.WaitReason;
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
import io.dayu.namenode.loop.StockSuspension;
import io.dayu.namenode.monitor.RecoveryMonitor;
import io.dayu.namenode.monitor.RecoveryProgress.Progress;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.RecoveryState;
import org.apache.hadoop.util.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import static io.dayu.namenode.admin.AdminViews.ordered;

/**
 * Carries admins' commands out on this NameNode. {@link #run} is called by RPC handlers and has the recovery loop do
 * the work between two ticks.
 */
public final class AdminService implements AdminOperations {
  private static final Logger LOG = LoggerFactory.getLogger(AdminService.class);

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MAX_NOTE = 500;
  /** How long the status waits for the loop, which may hang: monitoring asks for it often. */
  private static final long STATUS_WAIT_MS = 500;
  /** Blocks that one command explains. */
  private static final int MAX_EXPLAINED = 20;

  private final String namenodeId;
  private final String version;
  private final RecoveryController controller;
  private final DayuStatus status;
  private final StockSuspension suspension;
  private final BlockManagement blocks;
  private final BlockInspection inspection;
  private final Settings settings;
  private final LoopRequests requests;
  private final AdminViews views;
  private final DryRun dryRun;
  private final BlockExplanation explanation;
  private final RecoveryMonitor monitor;
  private final LeavingView leaving;

  public AdminService(String namenodeId, String version, RecoveryParts recovery, BlockManagement blocks,
      BlockInspection inspection,
      Settings settings, DryRun dryRun, RecoveryMonitor monitor, LoopRequests requests) {
    this.namenodeId = namenodeId;
    this.version = version;
    this.controller = recovery.controller();
    this.status = recovery.status();
    this.suspension = recovery.suspension();
    this.blocks = blocks;
    this.inspection = inspection;
    this.settings = settings;
    this.requests = requests;
    this.views = new AdminViews(controller, recovery.agents(), settings, version);
    this.dryRun = dryRun;
    this.monitor = monitor;
    this.leaving = new LeavingView(controller, status, settings, monitor.leaving(), monitor.deadlines());
    this.explanation = new BlockExplanation(controller, status, blocks, inspection, views, dryRun);
  }

  @Override
  public Map<String, Object> run(AdminRequest request) throws AdminException {
    return switch (request.command()) {
      case STATUS -> status(request.isOfAnyone());
      case NODES -> whileActive(request.isOfAnyone(), nowNs -> Map.of("nodes", views.nodes(nowNs)));
      case PLAN -> whileActive(request.isOfAnyone(), this::plan);
      case LEAVING -> whileActive(request.isOfAnyone(), nowNs -> leaving.view());
      case DRY_RUN -> whileActive(false, this::dryRun);
      case EXPLAIN -> explain(request.argument());
      case PAUSE -> pause(request);
      case RESUME -> changeMode(Mode.RUN, request);
      case STOCK -> changeMode(Mode.STOCK, request);
      case SHADOW -> changeMode(Mode.SHADOW, request);
      case SET -> set(request);
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

  /** Works also while the loop hangs, then without the values that only the loop knows. */
  private Map<String, Object> status(boolean fromPage) {
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
    view.put("settings", changed(settings));
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
  private static Map<String, Object> fields(Record of) {
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
    view.put("waitReasons", waitReasons());
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

  /** Why blocks wait, the most frequent reason first. */
  private List<WaitReasonCount> waitReasons() {
    return monitor.waitReasons().entrySet().stream()
        .map(one -> WaitReasonCount.of(one.getKey(), one.getValue()))
        .sorted(Comparator.comparingLong(WaitReasonCount::blocks).reversed()).toList();
  }

  private Map<String, Object> timeslot() {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("number", status.getTimeslot());
    view.put("planned", status.getLastPlanned());
    view.put("rejected", status.getLastRejected());
    view.put("finished", status.getLastFinished());
    view.put("planMillis", status.getLastPlanMillis());
    return view;
  }

  /**
   * The settings that differ from their defaults or were changed live, and where they come from. Settings that only
   * DataNodes read are left out, since this NameNode's file need not be theirs. Where a profile or a deadline hides
   * what an admin has changed, {@code set} has that, for NameNodes that start.
   */
  static List<ChangedSetting> changed(Settings settings) {
    List<ChangedSetting> changed = new ArrayList<>();
    for (Setting setting : Setting.values()) {
      if (setting.daemon() != Setting.Daemon.DATANODE && !settings.origin(setting).equals("default")) {
        boolean live = settings.changed(setting);
        long atMs = settings.changedMs(setting);
        boolean hidden = settings.isImposed(setting) && atMs != 0;
        changed.add(new ChangedSetting(setting.key(),
            new SettingValue(settings.text(setting), settings.origin(setting), !hidden && live, hidden ? 0 : atMs),
            hidden ? new SettingValue(settings.setText(setting), settings.setOrigin(setting), live, atMs) : null));
      }
    }
    return changed;
  }

  /** A setting as JSON; {@code set} is left out where nothing hides what was set. */
  record ChangedSetting(String key, @JsonUnwrapped SettingValue now,
      @JsonInclude(JsonInclude.Include.NON_NULL) SettingValue set) {
  }

  /** The value of a setting and where it comes from, as JSON. */
  record SettingValue(String value, String origin, boolean changedLive, long changedMs) {
  }

  /** Every setting that NameNodes read, in their order. */
  public List<Map<String, Object>> allSettings() {
    return all(settings);
  }

  static List<Map<String, Object>> all(Settings settings) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (Setting setting : Setting.values()) {
      if (setting.daemon() == Setting.Daemon.DATANODE) {
        continue;
      }
      Map<String, Object> view = new LinkedHashMap<>();
      view.put("key", setting.key());
      view.put("value", settings.text(setting));
      view.put("default", setting.defaultText());
      view.put("origin", settings.origin(setting));
      view.put("live", setting.live());
      view.put("expert", setting.audience() == Setting.Audience.EXPERT);
      view.put("description", setting.description());
      all.add(view);
    }
    return all;
  }

  private Map<String, Object> plan(long nowNs) {
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("timeslot", timeslot());
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
      return found.size() == 1 ? fields(found.get(0)) : Map.of("blocks", found);
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

  private Map<String, Object> set(AdminRequest request) throws AdminException {
    String[] sides = request.argument().split("=", 2);
    if (sides.length != 2) {
      throw new AdminException(ExitCode.REFUSED, "'" + request.argument() + "' is not <key>=<value>");
    }
    String key = sides[0].trim();
    Setting setting = Setting.ofKey(key);
    if (setting == null) {
      throw new AdminException(ExitCode.REFUSED, "there is no setting " + key
          + Settings.suggestion(key).map(near -> "; the nearest is " + near.key()).orElse("")
          + ". What can be set live: "
          + live());
    }
    if (!setting.live()) {
      throw new AdminException(ExitCode.REFUSED, key + " is read when the daemon starts (" + setting.daemon()
          + "); change it in hdfs-site.xml and restart. What can be set live: " + live());
    }
    return requests.call(false, () -> {
      try {
        long nowMs = System.currentTimeMillis();
        String by = "by " + request.user() + " at " + Instant.ofEpochMilli(nowMs).truncatedTo(ChronoUnit.SECONDS);
        boolean reset = sides[1].isBlank();
        String before = reset ? settings.reset(setting, "set back " + by, nowMs)
            : settings.change(setting, sides[1], "set " + by + ", not in hdfs-site.xml", nowMs);
        // What a profile or a deadline decides for now is not what the admin has set.
        String value = settings.setText(setting);
        LOG.info("RECONFIGURE* {} changed from {} to {} by {}", key, before, value, request.user());
        Map<String, Object> view = ordered("namenode", namenodeId, "key", key, "before", before, "value", value,
            "origin", settings.setOrigin(setting), "changedLive", !reset);
        followProfile();
        putWhatDecidesNow(setting, view);
        return view;
      } catch (BadSettingException e) {
        throw new AdminException(ExitCode.REFUSED, e.getMessage());
      }
    });
  }

  private void followProfile() {
    try {
      controller.followProfile(System.nanoTime());
    } catch (RuntimeException e) {
      LOG.warn("Dayu: the profile could not be followed at once; the recovery loop does so in its next tick", e);
    }
  }

  /** A deadline or a profile decides some settings for now, and a window which profile it is. */
  private void putWhatDecidesNow(Setting setting, Map<String, Object> view) {
    if (settings.isImposed(setting)) {
      view.putAll(ordered("now", settings.text(setting), "nowOrigin", settings.origin(setting)));
    } else if (setting == Setting.PROFILE && !settings.profile().word().equals(settings.choice(setting))) {
      String origin = settings.profileOrigin();
      view.putAll(ordered("now", settings.profile().word(), "nowOrigin",
          origin.isEmpty() ? Setting.PROFILE_WINDOWS.key() : origin));
    }
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

  private static String live() {
    return Arrays.stream(Setting.values()).filter(Setting::live).map(Setting::key).collect(Collectors.joining(", "));
  }
}
