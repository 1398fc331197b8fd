/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.admin.AdminException;
import io.dayu.admin.AdminRequest;
import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;
import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.WaitReason;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.NameNodeRuntime;
import io.dayu.namenode.loop.AdminControl;
import io.dayu.namenode.loop.LoopRequests;
import io.dayu.namenode.loop.RecoveryParts;
import io.dayu.namenode.monitor.DeadlineControl;
import io.dayu.namenode.monitor.RecoveryMonitor;
import io.dayu.namenode.status.RecoveryState;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** What a NameNode says of its settings, and when it refuses a command. */
class AdminServiceTest {
  /** The service of a NameNode whose loop does at once what it is asked. */
  private static AdminService service(RecoveryParts recovery, Settings settings) throws AdminException {
    return service(recovery, settings, mock(RecoveryMonitor.class));
  }

  private static AdminService service(RecoveryParts recovery, Settings settings, RecoveryMonitor monitor)
      throws AdminException {
    BlockManagement blocks = mock(BlockManagement.class);
    LoopRequests requests = mock(LoopRequests.class);
    when(requests.call(anyBoolean(), any())).thenAnswer(call -> call.<Callable<?>>getArgument(1).call());
    when(requests.call(anyBoolean(), any(), anyLong())).thenAnswer(call -> call.<Callable<?>>getArgument(1).call());
    return new AdminService("nn1:8020", "0.1.0", recovery, blocks, mock(BlockInspection.class), settings, null,
        monitor, requests);
  }

  @Test
  void pause_whileStockRecoversForAReasonOfDayus_isRefused_andChangesNothing() throws Exception {
    Settings settings = Settings.read(new Configuration(false));
    RecoveryParts recovery =
        RecoveryParts.of(mock(BlockManagement.class), settings, NameNodeRuntime.algorithm(settings), "nn1",
            () -> 0L, () -> 0L, mock(ScheduledExecutorService.class));
    recovery.status().enter(RecoveryState.STOCK, "1 of 5 live DataNodes have an agent");
    AdminRequest pause = new AdminRequest(Command.PAUSE, "", "alice");
    AdminService service = service(recovery, settings);
    AdminException refused = assertThrows(AdminException.class, () -> service.run(pause));
    assertEquals(ExitCode.REFUSED, refused.code());
    assertTrue(refused.getMessage().endsWith("1 of 5 live DataNodes have an agent"), refused::getMessage);
    assertEquals(AdminControl.Mode.RUN, recovery.controller().adminControl().modeChange().mode());
    service.run(new AdminRequest(Command.STOCK, "", "alice"));
    service.run(pause);
    assertEquals(AdminControl.Mode.PAUSED, recovery.controller().adminControl().modeChange().mode(),
        "one order of an admin replaces another");
  }

  @Test
  void resume_saysThatTheNextRestartGoesBack_onlyIfItDoes() throws Exception {
    AdminRequest resume = new AdminRequest(Command.RESUME, "", "alice");
    for (String startupMode : List.of("run", "shadow")) {
      Configuration conf = new Configuration(false);
      conf.set("dayu.namenode.startup.mode", startupMode);
      Settings settings = Settings.read(conf);
      RecoveryParts recovery =
          RecoveryParts.of(mock(BlockManagement.class), settings, NameNodeRuntime.algorithm(settings), "nn1",
              () -> 0L, () -> 0L, mock(ScheduledExecutorService.class));
      AdminService service = service(recovery, settings);
      assertEquals(startupMode.equals("run") ? null : "remove dayu.namenode.startup.mode from hdfs-site.xml, so that "
          + "the next restart does not go back to shadow", service.run(resume).get("warning"));
      assertFalse(service.run(new AdminRequest(Command.SHADOW, "", "alice")).containsKey("warning"));
    }
  }

  @Test
  void valueOfADeadline_isShownBesideWhatAnAdminHasSet() throws Exception {
    Settings settings = Settings.read(new Configuration(false));
    settings.change(Setting.MAX_UTILIZATION, "0.6", "set by alice", 5);
    settings.raiseMaxUtilization(0.9, "deadline of all");
    assertEquals("[{\"key\":\"dayu.recovery.max-utilization\",\"value\":\"0.9\",\"origin\":\"deadline of all\","
        + "\"changedLive\":false,\"changedMs\":0,\"set\":{\"value\":\"0.6\",\"origin\":\"set by alice\","
        + "\"changedLive\":true,\"changedMs\":5}}]", json(SettingsView.changed(settings)));
  }

  private static String json(Object view) throws Exception {
    return new ObjectMapper().writeValueAsString(view);
  }

  @Test
  void set_answersWhatWasSet_whileADeadlineDecides() throws Exception {
    Settings settings = Settings.read(new Configuration(false));
    settings.raiseMaxUtilization(0.9, "deadline of all");
    RecoveryParts recovery =
        RecoveryParts.of(mock(BlockManagement.class), settings, NameNodeRuntime.algorithm(settings), "nn1",
            () -> 0L, () -> 0L, mock(ScheduledExecutorService.class));
    Map<String, Object> answer = service(recovery, settings)
        .run(new AdminRequest(Command.SET, "dayu.recovery.max-utilization=0.6", "alice"));
    assertEquals(List.of("0.75", "0.6"), List.of(answer.get("before"), answer.get("value")));
    assertEquals("0.9", settings.text(Setting.MAX_UTILIZATION), "the deadline holds until it needs it no longer");
    assertEquals(List.of("0.9", "deadline of all"), List.of(answer.get("now"), answer.get("nowOrigin")));
  }

  @Test
  void deadline_ofANameOfTwoDataNodes_isRefused_namingBoth() throws Exception {
    Settings settings = Settings.read(new Configuration(false));
    RecoveryParts recovery =
        RecoveryParts.of(mock(BlockManagement.class), settings, NameNodeRuntime.algorithm(settings), "nn1",
            () -> 0L, () -> 0L, mock(ScheduledExecutorService.class));
    RecoveryMonitor monitor = mock(RecoveryMonitor.class);
    DeadlineControl deadlines = mock(DeadlineControl.class);
    when(monitor.deadlines()).thenReturn(deadlines);
    when(deadlines.dataNodes(any())).thenReturn(List.of("dn1.a.example.com:9866", "dn1.b.example.com:9866"));
    AdminService service = service(recovery, settings, monitor);
    AdminException refused =
        assertThrows(AdminException.class, () -> service.run(new AdminRequest(Command.DEADLINE, "dn1 6h", "alice")));
    assertEquals(ExitCode.REFUSED, refused.code());
    assertEquals("'dn1' is the name of 2 DataNodes: dn1.a.example.com:9866, dn1.b.example.com:9866; hdfs dayu -nodes"
        + " has the whole names", refused.getMessage());
    assertEquals(List.of(), settings.deadlines());
    service.run(new AdminRequest(Command.DEADLINE, "all 6h", "alice"));
    assertEquals(1, settings.deadlines().size());
    service.run(new AdminRequest(Command.DEADLINE, "dn1 none", "alice"));
  }

  /** The recovery's clock stands at a Thursday. */
  @Test
  void set_answersWhichProfileAWindowHas() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("dayu.profile.windows", "Thu fast");
    conf.set("dayu.profile.time-zone", "UTC");
    Settings settings = Settings.read(conf);
    RecoveryParts recovery =
        RecoveryParts.of(mock(BlockManagement.class), settings, NameNodeRuntime.algorithm(settings), "nn1",
            () -> 0L, () -> 0L, mock(ScheduledExecutorService.class));
    AdminService service = service(recovery, settings);
    Map<String, Object> answer = service.run(new AdminRequest(Command.SET, "dayu.profile=Gentle", "alice"));
    assertEquals(List.of("gentle", "fast", "profile fast, window Thu fast until Fri 00:00 UTC"),
        List.of(answer.get("value"), answer.get("now"), answer.get("nowOrigin")));
    service.run(new AdminRequest(Command.SET, "dayu.profile.windows=Thu none", "alice"));
    answer = service.run(new AdminRequest(Command.SET, "dayu.profile=gentle", "alice"));
    assertEquals(List.of("none", "dayu.profile.windows"), List.of(answer.get("now"), answer.get("nowOrigin")));
    service.run(new AdminRequest(Command.SET, "dayu.profile.windows=none", "alice"));
    answer = service.run(new AdminRequest(Command.SET, "dayu.profile=GENTLE", "alice"));
    assertFalse(answer.containsKey("now"), answer::toString);
  }

  /** Monitoring asks often, and Hadoop runs one call of this kind at a time. */
  @Test
  void status_waitsForALoopThatHangs_forHalfASecond() throws Exception {
    Settings settings = Settings.read(new Configuration(false));
    RecoveryParts recovery =
        RecoveryParts.of(mock(BlockManagement.class), settings, NameNodeRuntime.algorithm(settings), "nn1",
            () -> 0L, () -> 0L, mock(ScheduledExecutorService.class));
    AdminService service = new AdminService("nn1:8020", "0.1.0", recovery, mock(BlockManagement.class),
        mock(BlockInspection.class), settings, null, mock(RecoveryMonitor.class), new LoopRequests());
    String warning = (String) service.run(new AdminRequest(Command.STATUS, "", "alice")).get("warning");
    assertTrue(warning.startsWith("the recovery loop has not answered for 500 ms"), warning);
  }

  /** Else 0 blocks wait above what they wait for, until they are counted again. */
  @Test
  void reasonsOfMoreBlocksThanWaitNow_areNotShown() throws Exception {
    Settings settings = Settings.read(new Configuration(false));
    RecoveryParts recovery =
        RecoveryParts.of(mock(BlockManagement.class), settings, NameNodeRuntime.algorithm(settings), "nn1",
            () -> 0L, () -> 0L, mock(ScheduledExecutorService.class));
    BlockInspection inspection = mock(BlockInspection.class);
    RecoveryMonitor monitor = mock(RecoveryMonitor.class);
    when(monitor.waitReasons()).thenReturn(new TreeMap<>(
        Map.of(WaitReason.NO_TARGET, new long[] {2, 0, 0, 0}, WaitReason.TURN, new long[] {5, 0, 9, 0})));
    AdminService service = new AdminService("nn1:8020", "0.1.0", recovery, mock(BlockManagement.class), inspection,
        settings, null, monitor, new LoopRequests());
    assertEquals("[]", waitReasons(service));
    when(inspection.waitingBlocks(0)).thenReturn(3L);
    assertEquals("[{\"reason\":\"NO_TARGET\",\"text\":\"for a target: no DataNode can take them\",\"blocks\":2,"
        + "\"byRisk\":[2,0,0,0]},{\"reason\":\"TURN\",\"text\":\"for their turn\",\"blocks\":1,"
        + "\"byRisk\":[1,0,0,0]}]", waitReasons(service));
  }

  private static String waitReasons(AdminService service) throws Exception {
    Map<?, ?> status = service.run(new AdminRequest(Command.STATUS, "", "alice"));
    return json(((Map<?, ?>) status.get("queues")).get("waitReasons"));
  }

  @Test
  void settingsOfDataNodes_areNotShown() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("dayu.datanode.bandwidthPerSec", "4m");
    conf.set("dayu.recovery.max-utilization", "0.6");
    Settings settings = Settings.read(conf);
    String origin = settings.origin(Setting.MAX_UTILIZATION);
    assertEquals("[{\"key\":\"dayu.recovery.max-utilization\",\"value\":\"0.6\",\"origin\":" + json(origin)
        + ",\"changedLive\":false,\"changedMs\":0}]", json(SettingsView.changed(settings)));
    List<Map<String, Object>> all = SettingsView.all(settings);
    assertTrue(all.stream().noneMatch(one -> one.get("key").equals("dayu.datanode.bandwidthPerSec")), all::toString);
    assertTrue(all.stream().anyMatch(one -> one.get("key").equals("dayu.timeslot.interval")), all::toString);
  }
}
