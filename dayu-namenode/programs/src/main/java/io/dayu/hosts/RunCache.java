/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The runs that ended, kept so that later ones with the same parameters need not repeat them. Immutable.
 *
 * @param directory where they are kept
 * @param jars the jars under test
 */
record RunCache(Path directory, HostJars jars) {
  /** Version of the runs; increase it with each change of the foreground or of what is measured. */
  private static final int VERSION = 4;

  Optional<RunRecord> find(HostsOptions options, RecoveryMode mode, long seed) throws IOException {
    Path file = file(options, mode, seed);
    return Files.exists(file) ? Optional.of(RunRecord.read(new ObjectMapper().readTree(file.toFile())))
        : Optional.empty();
  }

  void keep(HostsOptions options, RunRecord run) throws IOException {
    Files.createDirectories(directory);
    new ObjectMapper().writeValue(file(options, run.mode(), run.identity().seed()).toFile(), run);
  }

  private Path file(HostsOptions options, RecoveryMode mode, long seed) throws IOException {
    return directory.resolve("v" + VERSION + "-hadoop" + options.jars().hadoop() + "-nodes" + options.topology().nodes()
        + "-racks"
        + options.topology().racks() + "-rate" + options.links().rateBitsPerSec() + "-queue-"
        + options.links().queue().key() + "-block"
        + options.data().blockBytes() + "-files" + options.files() + options.groupsKey() + "-utilization"
        + options.utilization() + "-fault-"
        + options.fault().id() + options.secondStepAfter().map(after -> "-after" + after).orElse("") + "-conf"
        + Integer.toHexString(options.conf().hashCode()) + "-" + mode.id() + "-"
        + underTest(options, mode) + "-seed" + seed + ".json");
  }

  /** What else tells runs of one mode apart. */
  private String underTest(HostsOptions options, RecoveryMode mode) throws IOException {
    return switch (mode) {
      case NONE -> options.runs().noneSec() + "s";
      case DAYU -> options.runs().limitSec() + "s-" + jars.digest()
          + (options.deadlineFactor().isPresent() ? "-deadline" + options.deadlineFactor().getAsDouble() : "");
      default -> options.runs().limitSec() + "s";
    };
  }
}
