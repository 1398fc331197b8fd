/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.protocol;

import io.dayu.protocol.DayuProtos.GroupProto;
import io.dayu.protocol.DayuProtos.SourceProto;

import java.io.IOException;
import java.util.List;

/**
 * The bounds of fields of messages, for those who receive them. Immutable. A failure names message, field and value, or
 * its length; it does not repeat text of the message.
 */
public final class FieldCheck {
  /** Of a rate: 1 TiB a second. */
  public static final long MAX_BYTES_PER_SEC = 1L << 40;
  /** Of a block: 1 PiB. */
  public static final long MAX_BLOCK_BYTES = 1L << 50;
  /** Data and parity units of an erasure-coding policy together, as HDFS bounds them. */
  public static final int MAX_UNITS = 16;
  /** Of an identifier or an address, in characters. */
  public static final int MAX_NAME_LENGTH = 256;
  private static final int MAX_CELL_BYTES = 1 << 26;
  private static final int MAX_MESSAGE_LENGTH = 4_096;
  private static final int MAX_PORT = 65_535;

  private final String message;

  /** @param message what its failures call the message */
  public FieldCheck(String message) {
    this.message = message;
  }

  public void within(String field, long value, long max) throws IOException {
    within(field, "", value, max);
  }

  // These checks see all fields of all messages, so they put names together only for a failure.

  private void within(String field, String part, long value, long max) throws IOException {
    if (value < 0 || value > max) {
      throw new IOException(message + " refused: " + field + part + " = " + value + ", expected 0 to " + max);
    }
  }

  public void rate(String field, long bytesPerSec) throws IOException {
    within(field, bytesPerSec, MAX_BYTES_PER_SEC);
  }

  /** The group of a transfer that rebuilds; a message without one has the defaults, which are sound. */
  public void group(String field, GroupProto group) throws IOException {
    within(field, ".numBytes", group.getNumBytes(), MAX_BLOCK_BYTES);
    name(field, ".codec", group.getCodec());
    within(field, ".dataUnits", group.getDataUnits(), MAX_UNITS);
    within(field, ".parityUnits", group.getParityUnits(), MAX_UNITS);
    within(field, ".cellBytes", group.getCellBytes(), MAX_CELL_BYTES);
  }

  /** A node that transfers read from. */
  public void source(String field, SourceProto source) throws IOException {
    name(field, ".datanodeUuid", source.getDatanodeUuid());
    name(field, ".ipAddress", source.getIpAddress());
    name(field, ".hostName", source.getHostName());
    within(field, ".transferPort", source.getTransferPort(), MAX_PORT);
    within(field, ".index", source.getIndex(), MAX_UNITS);
  }

  /** The sources that a transfer reads besides its first. */
  public void furtherSources(String field, List<SourceProto> sources) throws IOException {
    within(field, sources.size(), MAX_UNITS);
    for (SourceProto further : sources) {
      source(field, further);
    }
  }

  /** An identifier or an address: short, and printable. */
  public void name(String field, String value) throws IOException {
    name(field, "", value);
  }

  private void name(String field, String part, String value) throws IOException {
    length(field, part, value, MAX_NAME_LENGTH);
    for (int i = 0; i < value.length(); i++) {
      if (!isPrintable(value.charAt(i))) {
        throw new IOException(message + " refused: " + field + part + " has characters that are not printable");
      }
    }
  }

  /** A text for people, which may have more than one line. */
  public void text(String field, String value) throws IOException {
    length(field, "", value, MAX_MESSAGE_LENGTH);
  }

  private void length(String field, String part, String value, int max) throws IOException {
    if (value.length() > max) {
      throw new IOException(
          message + " refused: " + field + part + " has " + value.length() + " characters, expected at most " + max);
    }
  }

  private static boolean isPrintable(char character) {
    if (character < 0x80) {
      return character >= ' ' && character != 0x7f;
    }
    return switch (Character.getType(character)) {
      case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
      default -> true;
    };
  }
}
