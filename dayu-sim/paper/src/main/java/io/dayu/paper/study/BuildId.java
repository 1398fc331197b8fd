/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.engine.RecoverySimulation;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * Names the program that made a result: a digest of the files that studies, simulator and scheduler
 * were loaded from.
 * Stateless.
 */
public final class BuildId {
  private static final int BYTES = 8;

  private BuildId() {
  }

  public static String current() throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Class<?> type : List.of(BuildId.class, RecoverySimulation.class, TimeslotScheduler.class)) {
        CodeSource from = type.getProtectionDomain().getCodeSource();
        add(digest, Path.of(from.getLocation().toURI()));
      }
      return HexFormat.of().formatHex(digest.digest(), 0, BYTES);
    } catch (NoSuchAlgorithmException | URISyntaxException e) {
      throw new IOException(e);
    }
  }

  /** A jar, or a folder with classes. */
  private static void add(MessageDigest digest, Path place) throws IOException {
    try (Stream<Path> files = Files.walk(place)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        digest.update(Files.readAllBytes(file));
      }
    }
  }
}
