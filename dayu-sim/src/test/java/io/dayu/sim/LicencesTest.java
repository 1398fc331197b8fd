/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** Compares {@code docs/LICENSE-binary} with the libraries that Maven puts into the simulator's jar. */
class LicencesTest {
  /** Written by the execution {@code bundled} in the module's POM, as {@code group:artifact:jar:version:scope}. */
  private static final Path BUNDLED = Path.of("target", "bundled.txt");
  private static final Pattern ARTIFACT = Pattern.compile("(?m)^ +([^:\\s]+:[^:\\s]+):jar:([^:\\s]+):");
  private static final Pattern LISTED = Pattern.compile("(?m)^  ([^:\\s]+:[^:\\s]+:[^:\\s]+)$");

  @Test
  void licenceBinary_namesEachLibraryOfTheJarAndNoOther() throws IOException {
    List<String> bundled = ARTIFACT.matcher(Files.readString(BUNDLED)).results()
        .map(artifact -> artifact.group(1) + ":" + artifact.group(2)).sorted().toList();
    List<String> listed = LISTED.matcher(Files.readString(Path.of("..", "docs", "LICENSE-binary"))).results()
        .map(line -> line.group(1)).sorted().toList();
    assertFalse(bundled.isEmpty(), "no library in " + BUNDLED);
    assertEquals(bundled, listed, "docs/LICENSE-binary against what the jar contains");
  }
}
