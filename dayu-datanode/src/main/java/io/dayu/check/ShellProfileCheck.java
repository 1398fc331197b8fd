/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.check;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The shell profile that gives each daemon its jar, in Hadoop's configuration directory. No state. */
final class ShellProfileCheck {
  private static final String MARK = "hadoop_add_profile dayu";

  private ShellProfileCheck() {
  }

  /**
   * @param environment of this process, which Hadoop's scripts have set
   * @param release the directory that has the jar of this class in its {@code lib}
   */
  static void run(Map<String, String> environment, Path release, Findings found) throws IOException {
    String home = environment.getOrDefault("DAYU_HOME", "");
    if (!home.isEmpty() && !sameFile(Path.of(home), release)) {
      found.fault("DAYU_HOME is " + home + ", but the class path has the jar of " + release);
    }
    String conf = environment.getOrDefault("HADOOP_CONF_DIR", "");
    if (conf.isEmpty()) {
      found.fault("HADOOP_CONF_DIR is not set, so nobody can say which shell profiles Hadoop's scripts read");
      return;
    }
    Path directory = Path.of(conf, "shellprofile.d");
    List<Path> profiles = profiles(directory);
    if (profiles.isEmpty()) {
      found.fault("no shell profile of Dayu is in " + directory + ": daemons that Hadoop's scripts start do not get "
          + "Dayu's jar; link " + release.resolve("shellprofile.d/dayu.sh") + " there");
    } else if (profiles.size() > 1) {
      found.fault("several shell profiles of Dayu are in " + directory + ": " + profiles);
    } else {
      Path original = release.resolve("shellprofile.d/dayu.sh");
      if (Files.exists(original) && !Arrays.equals(Files.readAllBytes(original), Files.readAllBytes(profiles.get(0)))) {
        found.fault(profiles.get(0) + " is not the shell profile of the release in " + release
            + "; make it a link to " + original);
      }
    }
  }

  /** Hadoop reads files whose names end with .sh; a link that leads nowhere is none. */
  private static List<Path> profiles(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".sh") && isOurs(file)).sorted().toList();
    }
  }

  private static boolean isOurs(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains(MARK);
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean sameFile(Path a, Path b) throws IOException {
    return Files.exists(a) && Files.exists(b) && Files.isSameFile(a, b);
  }
}
