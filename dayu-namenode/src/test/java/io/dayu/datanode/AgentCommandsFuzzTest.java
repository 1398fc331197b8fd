/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.Settings;
import io.dayu.datanode.transfer.GrantChanges;
import io.dayu.datanode.transfer.NodeShaper;
import io.dayu.datanode.transfer.ReplicaCheck;
import io.dayu.datanode.transfer.TransferRegistry;
import io.dayu.datanode.transfer.TransferService;
import io.dayu.datanode.transfer.VolumeShapers;
import io.dayu.harness.TestOption;
import io.dayu.namenode.agents.ReportBounds;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.RandomMessages;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.thirdparty.protobuf.InvalidProtocolBufferException;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

/**
 * Arbitrary and damaged commands: what passes the check is obeyed without an error, and what the agent then reports
 * is good for the NameNode.
 */
class AgentCommandsFuzzTest {
  private static final long SEED = TestOption.seed("fuzz.seed", 20261124);
  private static final int MESSAGES = 20_000;
  private static final String POOL = "BP-1";

  private final RandomMessages messages = new RandomMessages(SEED);

  @Test
  void whateverANameNodeAnswers_theAgentGoesOn() throws Exception {
    System.out.println("fuzz.seed " + SEED);
    DataNodeAccess node = mock(DataNodeAccess.class, withSettings().stubOnly());
    when(node.conf()).thenReturn(new Configuration(false));
    NodeShaper shaper = new NodeShaper(Settings.read(new Configuration(false)), 0, 1L << 30);
    AgentCommandsOrder commandsOrder = new AgentCommandsOrder();
    int passed = 0;
    // None is started, so none connects to anywhere.
    try (
        TransferService service =
            new TransferService(node, () -> 0, shaper, VolumeShapers.none(), 64 << 20, () -> {}).start();
        ReplicaCheck suspects = new ReplicaCheck(block -> {})) {
      for (int i = 0; i < MESSAGES; i++) {
        AgentCommandsProto commands = next(i);
        if (commands != null && isGood(commands)) {
          passed++;
          commandsOrder.accept(commands, 0, 0);
          service.granted().acknowledge(POOL, commands.getAcknowledgedList());
          service.granted().apply(POOL, commands.getGrantsList(), System.nanoTime());
          suspects.offer(POOL, commands.getSuspectsList());
          GrantChanges.followWhileConnected(commands.getGrantsList());
          TransferRegistry.Status status = service.granted().status(POOL);
          ReportBounds.check(ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId(POOL).setDatanodeUuid("dn")
              .setAgentIncarnation(1).setReportSequence(i).addAllRunning(status.running())
              .addAllFinished(status.finished()).build());
        }
      }
      service.granted().apply(POOL, List.of(), System.nanoTime());
      assertEquals(List.of(), service.granted().status(POOL).running());
    }
    assertTrue(passed > MESSAGES / 100, passed + " of " + MESSAGES + " messages were good");
  }

  private AgentCommandsProto next(int i) {
    AgentCommandsProto commands = messages.fill(AgentCommandsProto.newBuilder()).build();
    if (i % 3 > 0) {
      return commands;
    }
    try {
      return AgentCommandsProto.parseFrom(messages.damaged(commands));
    } catch (InvalidProtocolBufferException e) {
      return null;
    }
  }

  private static boolean isGood(AgentCommandsProto commands) {
    try {
      AgentCommandsCheck.check(commands);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
