/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import io.dayu.blocks.LeavingNode;
import io.dayu.blocks.LeavingNode.Cause;
import io.dayu.conf.Deadline;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.loop.AdminControl;
import io.dayu.namenode.loop.RecoveryController;
import io.dayu.namenode.monitor.DeadlineControl;
import io.dayu.namenode.monitor.LeavingWatch;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.RecoveryState;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What admins see of DataNodes that leave: values by name, as JSON has them. Called by the recovery loop only. */
final class LeavingView {
  private static final List<Setting> BOUNDS = List.of(Setting.MAX_TOTAL_BANDWIDTH, Setting.MAX_UTILIZATION);

  private final RecoveryController controller;
  private final DayuStatus status;
  private final Settings settings;
  private final LeavingWatch watch;
  private final DeadlineControl deadlines;

  LeavingView(RecoveryController controller, DayuStatus status, Settings settings, LeavingWatch watch,
      DeadlineControl deadlines) {
    this.controller = controller;
    this.status = status;
    this.settings = settings;
    this.watch = watch;
    this.deadlines = deadlines;
  }

  Map<String, Object> view() {
    return AdminViews.ordered("nodes", watch.latest().stream().map(LeavingView::node).toList(), "deadlines",
        deadlines(), "pipelines",
        watch.pipelines().stream().map(one -> AdminViews.ordered("file", one.file(), "nodes", one.nodes())).toList(),
        "held", held());
  }

  /** The deadlines, with what becomes of each. */
  List<Map<String, Object>> deadlines() {
    return deadlines.latest().stream().map(one -> AdminViews.ordered("node", one.deadline().node(), "fromMs",
        one.deadline().from().toEpochMilli(), "untilMs", one.deadline().until().toEpochMilli(), "maxUtilization",
        one.deadline().maxUtilization(), "state", one.state().name().toLowerCase(Locale.ROOT).replace('_', '-'),
        "utilization", one.utilization(), "seconds", one.seconds(), "text",
        several(one.deadline()).isEmpty() ? text(one) : text(one) + "; " + several(one.deadline()))).toList();
  }

  /** @throws IllegalArgumentException if the name is that of several DataNodes */
  void checkName(Deadline deadline) {
    String several = several(deadline);
    if (!several.isEmpty()) {
      throw new IllegalArgumentException(several + "; hdfs dayu -nodes has the whole names");
    }
  }

  /** The DataNodes that the name of a deadline fits, for people; empty if it is clear which one is meant. */
  private String several(Deadline deadline) {
    List<String> names = deadline.node().equals(Deadline.ALL) ? List.of() : deadlines.dataNodes(deadline);
    return names.size() < 2 ? "" : "'" + deadline.node() + "' is the name of " + names.size() + " DataNodes: "
        + String.join(", ", names);
  }

  /** A forecast is one of recovery by Dayu. */
  private String text(DeadlineControl.DeadlineStatus one) {
    boolean forecast = one.state() == DeadlineControl.State.KEPT || one.state() == DeadlineControl.State.AT_RISK;
    AdminControl control = controller.adminControl();
    return forecast && (control.paused() || control.leftToStock())
        ? "not known: recovery is " + control.modeChange().describe()
        : forecast && status.state() == RecoveryState.STOCK ? "not known: stock HDFS recovers"
        : one.describe();
  }

  private static Map<String, Object> node(LeavingWatch.Leaving leaving) {
    LeavingNode node = leaving.node();
    List<Map<String, Object>> left = new ArrayList<>();
    node.left().forEach((cause, one) -> left.add(AdminViews.ordered("cause", word(cause), "text", cause.text(),
        "blocks", one.blocks(), "bytes", one.bytes(), "example", one.example())));
    return AdminViews.ordered("node", node.name(), "maintenance", node.maintenance(), "alive", node.alive(),
        "seconds", node.seconds(), "replicas", node.replicas(), "blocksToCopy", node.copiedBlocks(), "bytesToCopy",
        node.copiedBytes(), "blockedBlocks", node.blockedBlocks(), "groups", node.groups().blocks(), "groupBytes",
        node.groups().bytes(), "etaSeconds", leaving.etaSeconds(), "etaError", leaving.etaError(), "left", left,
        "openFiles", node.openFiles());
  }

  private static String word(Cause cause) {
    return cause.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** What holds up or slows all of them, for people. */
  private List<String> held() {
    List<String> held = new ArrayList<>();
    AdminControl control = controller.adminControl();
    DayuStatus.Explained state = status.explained();
    if (control.paused() || control.leftToStock()) {
      held.add("recovery is " + control.modeChange().describe());
    }
    if (!state.reason().equals(state.enteredFor()) && held.stream().noneMatch(state.reason()::equals)) {
      held.add(state.reason());
    }
    for (Setting bound : BOUNDS) {
      if (!settings.isDefault(bound)) {
        held.add(bound.key() + " = " + settings.text(bound) + " (" + settings.origin(bound) + ")");
      }
    }
    return held;
  }
}
