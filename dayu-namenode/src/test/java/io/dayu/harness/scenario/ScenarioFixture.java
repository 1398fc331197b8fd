/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.scenario;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertFalse;

/** Runs scenarios. Several classes share them, so that several JVMs run them at one time. */
@Tag("default-line")
abstract class ScenarioFixture {
  @TempDir
  Path directory;

  /** The names of all that have {@code part} in their names, in alphabetical order. */
  static List<String> names(String part) throws Exception {
    try (Stream<Path> files = Files.list(scenarios())) {
      List<String> names = files.map(file -> file.getFileName().toString().replaceFirst("\\.json$", ""))
          .filter(name -> name.contains(part)).sorted().toList();
      assertFalse(names.isEmpty(), "no scenario has '" + part + "' in its name");
      return names;
    }
  }

  /** Every second one of all scenarios. */
  static List<String> everySecond(int first) throws Exception {
    List<String> all = names("");
    return IntStream.range(0, all.size()).filter(index -> index % 2 == first).mapToObj(all::get).toList();
  }

  private static Path scenarios() throws URISyntaxException {
    return Path.of(ScenarioFixture.class.getResource("/scenarios").toURI());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void scenario(String name) throws Exception {
    Scenario scenario = Scenario.read(scenarios().resolve(name + ".json"));
    try {
      ScenarioRun.run(scenario, directory);
    } catch (Exception | AssertionError e) {
      throw new AssertionError(name + ": " + e.getMessage(), e);
    }
  }
}
