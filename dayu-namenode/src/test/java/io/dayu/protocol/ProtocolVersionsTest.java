/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.protocol;

import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.Descriptor;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.FieldDescriptor;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.FileDescriptor;
import org.apache.hadoop.thirdparty.protobuf.DynamicMessage;
import org.apache.hadoop.thirdparty.protobuf.Message;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

/**
 * Jars of two versions in one cluster, as during a rolling upgrade: each reads the messages of the other. The older
 * versions are those of commits, as lists of fields in {@code resources/protocol}.
 */
class ProtocolVersionsTest {
  private static final int MESSAGES = 300;
  private static final long SEED = 20261124;

  @ParameterizedTest
  @ValueSource(strings = {"0f48205", "c0b2812"})
  void everyFieldOfAnOlderVersion_hasItsNumberAndType_andWhatCameLaterIsOptional(String commit) throws Exception {
    FileDescriptor older = OlderProtocol.of(commit).file();
    for (Descriptor then : older.getMessageTypes()) {
      Descriptor now = DayuProtos.getDescriptor().findMessageTypeByName(then.getName());
      assertNotNull(now, then.getName());
      for (FieldDescriptor field : then.getFields()) {
        FieldDescriptor present = now.findFieldByNumber(field.getNumber());
        assertNotNull(present, field.getFullName());
        assertEquals(field.getType(), present.getType(), field.getFullName());
        assertEquals(field.isRepeated(), present.isRepeated(), field.getFullName());
        assertEquals(typeName(field), typeName(present), field.getFullName());
      }
      for (FieldDescriptor present : now.getFields()) {
        assertFalse(present.isRequired() && then.findFieldByNumber(present.getNumber()) == null,
            () -> present.getFullName() + " is required, and an older version does not send it");
      }
    }
  }

  private static String typeName(FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case MESSAGE -> field.getMessageType().getName();
      case ENUM -> field.getEnumType().getName();
      default -> "";
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"0f48205", "c0b2812"})
  void messagesOfAnOlderVersion_areRead(String commit) throws Exception {
    System.out.println("seed " + SEED);
    RandomMessages random = new RandomMessages(SEED);
    FileDescriptor older = OlderProtocol.of(commit).file();
    for (int i = 0; i < MESSAGES; i++) {
      Message report = random.fill(DynamicMessage.newBuilder(older.findMessageTypeByName("ReportProto"))).build();
      assertEquals(report.toByteString(), ReportProto.parseFrom(report.toByteString()).toByteString());
      Message commands =
          random.fill(DynamicMessage.newBuilder(older.findMessageTypeByName("AgentCommandsProto"))).build();
      assertEquals(commands.toByteString(), AgentCommandsProto.parseFrom(commands.toByteString()).toByteString());
    }
  }

  /** What the older version does not know it keeps aside. */
  @ParameterizedTest
  @ValueSource(strings = {"0f48205", "c0b2812"})
  void anOlderVersion_readsOurMessages(String commit) throws Exception {
    System.out.println("seed " + SEED);
    RandomMessages random = new RandomMessages(SEED);
    FileDescriptor older = OlderProtocol.of(commit).file();
    for (int i = 0; i < MESSAGES; i++) {
      ReportProto.Builder report = random.fill(ReportProto.newBuilder());
      // An agent always sends it; older ones require it.
      report.getFinishedBuilderList().stream().filter(transfer -> !transfer.hasOutcome())
          .forEach((FinishedTransferProto.Builder transfer) -> transfer.setOutcome(Outcome.DONE));
      DynamicMessage readReport =
          DynamicMessage.parseFrom(older.findMessageTypeByName("ReportProto"), report.build().toByteString());
      assertEquals(report.build(), ReportProto.parseFrom(readReport.toByteString()));
      AgentCommandsProto commands = random.fill(AgentCommandsProto.newBuilder()).build();
      DynamicMessage readCommands =
          DynamicMessage.parseFrom(older.findMessageTypeByName("AgentCommandsProto"), commands.toByteString());
      assertEquals(commands, AgentCommandsProto.parseFrom(readCommands.toByteString()));
    }
  }
}
