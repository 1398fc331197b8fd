/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import io.dayu.admin.AdminHandler;
import io.dayu.admin.CheckedOperations;
import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;
import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.BlockManagement;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.harness.TestOption;
import io.dayu.namenode.NameNodeRuntime;
import io.dayu.namenode.loop.LoopRequests;
import io.dayu.namenode.loop.RecoveryParts;
import io.dayu.namenode.monitor.DeadlineControl;
import io.dayu.namenode.monitor.RecoveryMonitor;
import io.dayu.namenode.monitor.RecoveryProgress;
import io.dayu.namenode.monitor.StockProgress;
import io.dayu.namenode.status.RecoveryState;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.RefreshResponse;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

/** Arbitrary commands, as RPC delivers them: each is done or refused in one line, none by an exception. */
class AdminFuzzTest {
  private static final long SEED = TestOption.seed("fuzz.seed", 20261128);
  private static final int COMMANDS = 20_000;

  private final Random random = new Random(SEED);
  private final List<String> words = new ArrayList<>();

  AdminFuzzTest() {
    Stream.of(Command.values()).forEach(command -> words.add(command.word()));
    Stream.of(Setting.values()).forEach(setting -> words.add(setting.key() + "="));
    Stream.of(Setting.values()).filter(Setting::live).forEach(setting -> words.add(setting.key() + "="));
    words.addAll(List.of("", " ", "=", "0.5", "NaN", "-1", "1e400", "99999999999999999999t", "5s", "OTHER=5", "DISK",
        "a\n\r\u001b[2J\u2028b", "\0", "blk_1", "blk_-1_5", "blk_99999999999999999999", "/a", "x".repeat(10_000)));
  }

  @Test
  void whateverIsSent_isDoneOrRefused() throws Exception {
    System.out.println("fuzz.seed " + SEED);
    BlockManagement blocks = mock(BlockManagement.class, withSettings().stubOnly());
    BlockInspection inspection = mock(BlockInspection.class, withSettings().stubOnly());
    Settings settings = Settings.read(new Configuration(false));
    RecoveryParts recovery =
        RecoveryParts.of(blocks, settings, NameNodeRuntime.algorithm(settings), "nn1", () -> 1L, () -> 1L,
            mock(ScheduledExecutorService.class));
    LoopRequests requests = mock(LoopRequests.class, withSettings().stubOnly());
    when(requests.call(anyBoolean(), any())).thenAnswer(call -> call.<Callable<?>>getArgument(1).call());
    when(requests.call(anyBoolean(), any(), anyLong())).thenAnswer(call -> call.<Callable<?>>getArgument(1).call());
    recovery.status().enter(RecoveryState.STANDBY, "a test");
    AtomicInteger done = new AtomicInteger();
    RecoveryMonitor monitor = mock(RecoveryMonitor.class, withSettings().stubOnly());
    when(monitor.progress()).thenReturn(RecoveryProgress.Progress.NONE);
    when(monitor.deadlines()).thenReturn(mock(DeadlineControl.class, withSettings().stubOnly()));
    when(monitor.stockProgress()).thenReturn(StockProgress.Progress.NONE);
    AdminService service = new AdminService("nn1:8020", "0.1.0", recovery, blocks, inspection, settings, null, monitor,
        requests);
    CheckedOperations checked = new CheckedOperations(service, () -> {}, (caller, command, argument, refusal) -> done
        .addAndGet(refusal == null ? 1 : 0));
    try (AdminHandler handler = new AdminHandler(checked, server -> true)) {
      for (int i = 0; i < COMMANDS; i++) {
        String[] arguments = next();
        RefreshResponse response = handler.handleRefresh(AdminHandler.IDENTIFIER, arguments);
        String message = response.getMessage();
        assertFalse(message.startsWith("the command failed"), () -> Arrays.toString(arguments) + ": " + message);
        assertTrue(message.length() < 6_000 && message.lines().count() <= 1 && message.indexOf('\u001b') < 0, message);
        assertTrue(response.getReturnCode() == ExitCode.DONE.code() || !message.isEmpty(), Arrays.toString(arguments));
      }
    }
    assertTrue(done.get() > COMMANDS / 100, done + " of " + COMMANDS + " commands were done");
    assertEquals(RecoveryState.STANDBY, recovery.status().state());
  }

  private String[] next() {
    List<String> arguments = new ArrayList<>();
    if (random.nextInt(8) > 0) {
      arguments.add(Command.values()[random.nextInt(Command.values().length)].word());
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      StringBuilder word = new StringBuilder(words.get(random.nextInt(words.size())));
      if (random.nextBoolean()) {
        word.append(words.get(random.nextInt(words.size())));
      }
      if (random.nextInt(4) == 0 && word.length() > 0) {
        word.setCharAt(random.nextInt(word.length()), (char) random.nextInt(random.nextBoolean() ? 128 : 65_536));
      }
      arguments.add(word.toString());
    }
    return arguments.toArray(String[]::new);
  }
}
