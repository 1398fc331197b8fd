/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.protocol;

import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.DescriptorProto;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.EnumDescriptorProto;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.FieldDescriptorProto;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.FileDescriptorProto;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.Descriptor;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.DescriptorValidationException;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.FieldDescriptor;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.FileDescriptor;
import org.apache.hadoop.thirdparty.protobuf.Message;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code dayu.proto} as of an older commit, from its list of fields in {@code resources/protocol}. Immutable. */
public final class OlderProtocol {
  private final FileDescriptor file;

  private OlderProtocol(FileDescriptor file) {
    this.file = file;
  }

  /** @throws IllegalArgumentException if there is no list of this commit, or it makes no sense */
  public static OlderProtocol of(String commit) {
    try {
      return new OlderProtocol(FileDescriptor.buildFrom(file(commit, lines(commit)), new FileDescriptor[0]));
    } catch (IOException | DescriptorValidationException e) {
      throw new IllegalArgumentException(commit, e);
    }
  }

  private static List<String> lines(String commit) throws IOException {
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(
        OlderProtocol.class.getResourceAsStream("/protocol/" + commit + ".txt"), StandardCharsets.UTF_8))) {
      return lines.lines().filter(line -> !line.startsWith("#")).toList();
    }
  }

  /** A line is {@code message label type name = number}, or {@code message value enum name = number}. */
  private static FileDescriptorProto file(String commit, List<String> lines) {
    Map<String, DescriptorProto.Builder> messages = new LinkedHashMap<>();
    Map<String, EnumDescriptorProto.Builder> enums = new LinkedHashMap<>();
    for (String line : lines) {
      String[] words = line.split(" ");
      messages.computeIfAbsent(words[0], name -> DescriptorProto.newBuilder().setName(name));
      if (words[1].equals("value")) {
        enums.computeIfAbsent(words[0] + "." + words[2], name -> EnumDescriptorProto.newBuilder().setName(words[2]))
            .addValue(EnumValueDescriptorProto.newBuilder().setName(words[3]).setNumber(Integer.parseInt(words[5])));
      }
    }
    for (String line : lines) {
      String[] words = line.split(" ");
      if (!words[1].equals("value")) {
        FieldDescriptorProto.Builder field = FieldDescriptorProto.newBuilder().setName(words[3])
            .setNumber(Integer.parseInt(words[5]))
            .setLabel(FieldDescriptorProto.Label.valueOf("LABEL_" + words[1].toUpperCase(Locale.ROOT)));
        String inner = words[0] + "." + words[2];
        if (enums.containsKey(inner)) {
          field.setType(FieldDescriptorProto.Type.TYPE_ENUM).setTypeName(".dayu." + inner);
        } else if (messages.containsKey(words[2])) {
          field.setType(FieldDescriptorProto.Type.TYPE_MESSAGE).setTypeName(".dayu." + words[2]);
        } else {
          field.setType(FieldDescriptorProto.Type.valueOf("TYPE_" + words[2].toUpperCase(Locale.ROOT)));
        }
        messages.get(words[0]).addField(field);
      }
    }
    enums.forEach((name, type) -> messages.get(name.substring(0, name.indexOf('.'))).addEnumType(type));
    FileDescriptorProto.Builder file = FileDescriptorProto.newBuilder().setName(commit).setPackage("dayu");
    messages.values().forEach(file::addMessageType);
    return file.build();
  }

  FileDescriptor file() {
    return file;
  }

  /** The message as the older version sends it, or sees it: without the fields that it does not know. */
  public <M extends Message> M withoutLaterFields(M message) {
    Message.Builder older = reduce(message, file.findMessageTypeByName(message.getDescriptorForType().getName()));
    @SuppressWarnings("unchecked")
    M reduced = (M) older.build();
    return reduced;
  }

  private static Message.Builder reduce(Message message, Descriptor older) {
    Message.Builder reduced = message.toBuilder();
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      FieldDescriptor then = older.findFieldByNumber(field.getNumber());
      if (then == null) {
        reduced.clearField(field);
      } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && field.isRepeated()) {
        for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
          reduced.setRepeatedField(field, i,
              reduce((Message) message.getRepeatedField(field, i), then.getMessageType()).build());
        }
      } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && message.hasField(field)) {
        reduced.setField(field, reduce((Message) message.getField(field), then.getMessageType()).build());
      }
    }
    return reduced;
  }
}
