/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.namenode.agents.ReportBounds;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.FieldDescriptor;
import org.apache.hadoop.thirdparty.protobuf.Message;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Each field of both messages is set to a value out of all bounds, one at a time: a number to -1, a text to 10,000
 * characters or to one with a line break, a list to more elements than there may be. What is not refused has to be
 * listed here, with a reason.
 */
class MessageBoundsTest {
  private static final int TOO_MANY = 20_000;
  private static final String TOO_LONG = "x".repeat(10_000);
  private static final String TWO_LINES = "a\nb\u001b[2J";

  /** What checks a message. */
  private interface Check {
    void check(Message message) throws IOException;
  }

  @Test
  void everyCountAndLengthOfAReport_isBounded() {
    // Ids may have any value; the version is for agents to come.
    assertEquals(new TreeSet<>(Set.of("protocolVersion", "agentIncarnation", "obeyedActivation",
        "load.volumesId", "load.meterId", "running.attempt", "running.block.blockId", "verified.block.blockId",
        "finished.attempt",
        "finished.blockId")),
        unbounded(ReportProto.getDefaultInstance(), message -> ReportBounds.check((ReportProto) message)));
  }

  @Test
  void everyCountAndLengthOfTheAnswer_isBounded() {
    // Ids may have any value; the agent disregards an alpha or a B_min that is out of bounds.
    assertEquals(new TreeSet<>(Set.of("protocolVersion", "activation", "knownVolumesId", "maxUtilization",
        "minBytesPerSec", "grants.attempt", "grants.block.blockId", "suspects.blockId", "verifications.blockId")),
        unbounded(AgentCommandsProto.getDefaultInstance(),
            message -> AgentCommandsCheck.check((AgentCommandsProto) message)));
  }

  /** Log lines and {@code hdfs dayu} show them. */
  @Test
  void textsOfMessages_areOneLine() {
    // Texts for people are exceptions' messages, which may have lines; their receiver makes one of them.
    assertEquals(new TreeSet<>(Set.of("declined", "running.failure", "finished.message")), unbounded(
        ReportProto.getDefaultInstance(), message -> ReportBounds.check((ReportProto) message), TWO_LINES, true));
    assertEquals(Set.of(), unbounded(AgentCommandsProto.getDefaultInstance(),
        message -> AgentCommandsCheck.check((AgentCommandsProto) message), TWO_LINES, true));
  }

  /** No sum over a cluster's DataNodes leaves the range of numbers. */
  @Test
  void ratesAndSizes_haveUpperBounds() {
    ReportProto sound = (ReportProto) filled(ReportProto.newBuilder());
    assertRefused(sound.toBuilder().setLoad(sound.getLoad().toBuilder().setForegroundInBytesPerSec(Long.MAX_VALUE)));
    assertRefused(sound.toBuilder().setLoad(sound.getLoad().toBuilder().setForegroundOutBytesPerSec(Long.MAX_VALUE)));
    assertRefused(sound.toBuilder().setRunning(0, sound.getRunning(0).toBuilder().setDoneBytes(Long.MAX_VALUE)
        .setBlock(sound.getRunning(0).getBlock().toBuilder().setNumBytes(Long.MAX_VALUE))));
    assertRefused(sound.toBuilder().setFinished(0, sound.getFinished(0).toBuilder().setWastedBytes(Long.MAX_VALUE)));
  }

  private static void assertRefused(ReportProto.Builder report) {
    IOException refusal = assertThrows(IOException.class, () -> ReportBounds.check(report.build()));
    assertTrue(refusal.getMessage().startsWith("report refused: "), refusal::getMessage);
  }

  /** A refusal goes to the log, and to {@code -status}. */
  @Test
  void refusal_doesNotRepeatTheText() {
    ReportProto.Builder report = ((ReportProto) filled(ReportProto.newBuilder())).toBuilder();
    for (String text : List.of("x".repeat(8 << 20), TWO_LINES)) {
      IOException refusal =
          assertThrows(IOException.class, () -> ReportBounds.check(report.setBlockPoolId(text).build()));
      assertTrue(refusal.getMessage().length() < 200 && !refusal.getMessage().contains(text), refusal::getMessage);
    }
  }

  private static Set<String> unbounded(Message empty, Check check) {
    return unbounded(empty, check, TOO_LONG, false);
  }

  /**
   * @param text what texts are set to
   * @param textsOnly whether other fields are left as they are
   */
  private static Set<String> unbounded(Message empty, Check check, String text, boolean textsOnly) {
    Message sound = filled(empty.newBuilderForType());
    assertDoesNotThrow(() -> check.check(sound));
    List<List<FieldDescriptor>> paths = new ArrayList<>();
    addPaths(sound, List.of(), paths);
    Set<String> unbounded = new TreeSet<>();
    for (List<FieldDescriptor> path : paths) {
      if (textsOnly && path.get(path.size() - 1).getJavaType() != FieldDescriptor.JavaType.STRING) {
        continue;
      }
      try {
        check.check(outOfBounds(sound, path, text));
        unbounded.add(path.stream().map(FieldDescriptor::getName).collect(Collectors.joining(".")));
      } catch (IOException refused) {
        // As it should be.
      }
    }
    return unbounded;
  }

  /** All fields set, lists to one element. */
  private static Message filled(Message.Builder builder) {
    for (FieldDescriptor field : builder.getDescriptorForType().getFields()) {
      Object value = switch (field.getJavaType()) {
        case INT -> 1;
        case LONG -> 1L;
        case DOUBLE -> 0.5;
        case BOOLEAN -> true;
        case STRING -> "DISK";
        case ENUM -> field.getEnumType().getValues().get(0);
        case MESSAGE -> filled(builder.newBuilderForField(field));
        default -> throw new IllegalStateException("no field of ours is of type " + field.getJavaType());
      };
      if (field.isRepeated()) {
        builder.addRepeatedField(field, value);
      } else {
        builder.setField(field, value);
      }
    }
    return builder.build();
  }

  /** The ways to all lists, texts and numbers. */
  private static void addPaths(Message message, List<FieldDescriptor> parent, List<List<FieldDescriptor>> paths) {
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      List<FieldDescriptor> path = new ArrayList<>(parent);
      path.add(field);
      boolean number = field.getJavaType() == FieldDescriptor.JavaType.INT
          || field.getJavaType() == FieldDescriptor.JavaType.LONG
          || field.getJavaType() == FieldDescriptor.JavaType.DOUBLE;
      if (field.isRepeated() || number || field.getJavaType() == FieldDescriptor.JavaType.STRING) {
        paths.add(path);
      }
      if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        addPaths((Message) child(message, field), path, paths);
      }
    }
  }

  private static Object child(Message message, FieldDescriptor field) {
    return field.isRepeated() ? message.getRepeatedField(field, 0) : message.getField(field);
  }

  private static Message outOfBounds(Message message, List<FieldDescriptor> path, String text) {
    FieldDescriptor field = path.get(0);
    Message.Builder changed = message.toBuilder();
    if (path.size() > 1) {
      Message inner = outOfBounds((Message) child(message, field), path.subList(1, path.size()), text);
      if (field.isRepeated()) {
        changed.setRepeatedField(field, 0, inner);
      } else {
        changed.setField(field, inner);
      }
    } else if (field.isRepeated()) {
      for (int i = 0; i < TOO_MANY; i++) {
        changed.addRepeatedField(field, child(message, field));
      }
    } else {
      changed.setField(field, switch (field.getJavaType()) {
        case INT -> -1;
        case LONG -> -1L;
        case DOUBLE -> -1.0;
        default -> text;
      });
    }
    return changed.build();
  }
}
