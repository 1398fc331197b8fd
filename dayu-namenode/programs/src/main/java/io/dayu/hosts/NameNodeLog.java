/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;

/** The log of a NameNode, or of a DataNode. Immutable; moments are milliseconds since 1970. */
record NameNodeLog(Path file) {
  static final String DEAD = "removeDeadDatanode: lost heartbeat";
  static final String DECOMMISSIONED = "Decommissioning complete for node";
  static final String STATE_OF_DAYU = "Dayu: state ";
  /** Of a DataNode; the replica fills several lines, of which this is the first. */
  static final String DELETION = "Scheduling blk_";
  static final String FINALIZED = " replica FinalizedReplica";
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss,SSS");
  private static final int TIME_LENGTH = 23;

  /** When the first line with all these parts was written, from a moment on. */
  OptionalDouble firstAtMs(double fromMs, String... parts) throws IOException {
    return linesAtMs(parts).filter(atMs -> atMs >= fromMs).findFirst();
  }

  /** How many such lines were written between two moments. */
  long count(double fromMs, double toMs, String... parts) throws IOException {
    return linesAtMs(parts).filter(atMs -> atMs >= fromMs && atMs <= toMs).count();
  }

  private DoubleStream linesAtMs(String... parts) throws IOException {
    return Files.readString(file, StandardCharsets.ISO_8859_1).lines()
        .filter(line -> List.of(parts).stream().allMatch(line::contains)).mapToDouble(NameNodeLog::atMs);
  }

  private static double atMs(String line) {
    return LocalDateTime.parse(line.substring(0, TIME_LENGTH), TIME).toInstant(ZoneOffset.UTC).toEpochMilli();
  }
}
