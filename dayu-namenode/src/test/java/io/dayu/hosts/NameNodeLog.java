/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.hosts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.OptionalDouble;

/** The log of the NameNode, which says when a DataNode is declared dead. Immutable. */
record NameNodeLog(Path file) {
  private static final String LOST = "removeDeadDatanode: lost heartbeat";
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss,SSS");
  private static final int TIME_LENGTH = 23;

  /** In milliseconds since 1970; nothing as long as no DataNode is dead. */
  OptionalDouble lossAtMs() throws IOException {
    return Files.readString(file, StandardCharsets.ISO_8859_1).lines().filter(line -> line.contains(LOST))
        .mapToDouble(NameNodeLog::atMs).findFirst();
  }

  private static double atMs(String line) {
    return LocalDateTime.parse(line.substring(0, TIME_LENGTH), TIME).toInstant(ZoneOffset.UTC).toEpochMilli();
  }
}
