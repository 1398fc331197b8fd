/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.scenario;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.dayu.harness.load.LoadProfile;
import io.dayu.harness.load.LoadProfileBuilder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One scenario as its file says it. Immutable. The format is JSON with comments; a key that is not one of these, and a
 * value that makes no sense, is an error that names the file and the key.
 *
 * @param about what the scenario shows, in a sentence
 * @param load fields of a {@link LoadProfileBuilder}, over its defaults; none, if there is no load
 * @param faults in the order in which they are made
 */
public record Scenario(String about, Cluster cluster, List<FileSet> files, JsonNode load, List<Step> faults,
    Expectations expect) {
  private static final ObjectMapper JSON = JsonMapper.builder().enable(JsonParser.Feature.ALLOW_COMMENTS)
      .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION).build();
  private static final ObjectMapper FIELDS = JSON.copy().setVisibility(PropertyAccessor.FIELD, Visibility.ANY);

  /**
   * The cluster. What is not given is: one rack, one volume a node, no emulated NICs, one NameNode, Dayu everywhere.
   *
   * @param bandwidthBytesPerSec of each node in each direction
   * @param emulatedNics whether that is a limit for all traffic, or only what Dayu reckons with
   * @param stock whether to run without Dayu
   * @param settings of Hadoop and Dayu, over the harness's short times
   */
  public record Cluster(int nodes, int racks, int volumesPerNode, long blockBytes, long bandwidthBytesPerSec,
      boolean emulatedNics, boolean highAvailability, boolean stock, long seed, Map<String, String> settings) {
    public Cluster {
      racks = racks == 0 ? 1 : racks;
      volumesPerNode = volumesPerNode == 0 ? 1 : volumesPerNode;
      settings = settings == null ? Map.of() : Map.copyOf(settings);
      require(nodes > 0 && racks > 0 && volumesPerNode > 0, "cluster: nodes, racks and volumesPerNode above 0");
      require(blockBytes > 0 && bandwidthBytesPerSec > 0, "cluster: blockBytes and bandwidthBytesPerSec above 0");
    }
  }

  /** Files {@code directory}/0 and so on, with the given replication, or in the given erasure coding policy. */
  public record FileSet(String directory, int count, long bytes, int replication, String erasureCoding) {
    public FileSet {
      require(directory != null && directory.startsWith("/"), "files: a directory that begins with /");
      require(count > 0 && bytes > 0, "files: count and bytes above 0");
      require((replication > 0) != (erasureCoding != null), "files: either replication or erasureCoding");
    }
  }

  /**
   * What must hold at the end, beside what {@link io.dayu.harness.ClusterVerifier} asks for, which always must.
   *
   * @param recoveredBy who must have done it
   * @param withinSec how long it may take from the last fault to the settled cluster: generous, for slow machines
   * @param maxExcessReplicas how many replicas beyond what the files ask for may ever be seen at once; not looked at if
   *     not given
   * @param maxForegroundErrors how many of the load's operations may fail
   */
  public record Expectations(RecoveredBy recoveredBy, int withinSec, Integer maxExcessReplicas,
      int maxForegroundErrors) {
    public Expectations {
      require(recoveredBy != null, "expect: recoveredBy");
      require(withinSec > 0, "expect: withinSec above 0");
    }
  }

  public Scenario {
    require(about != null && !about.isBlank(), "about");
    require(cluster != null && expect != null, "cluster and expect");
    // Some versions of Jackson say so of what is not there.
    load = load == null || load.isNull() ? null : load;
    files = files == null ? List.of() : List.copyOf(files);
    faults = faults == null ? List.of() : List.copyOf(faults);
    require(!files.isEmpty() && !faults.isEmpty(), "files and faults");
  }

  static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException("a scenario needs " + what);
    }
  }

  /** Reads a file; the message of an IllegalArgumentException says what is wrong with it and where. */
  public static Scenario read(Path file) throws IOException {
    return parse(file.getFileName().toString(), Files.readString(file));
  }

  static Scenario parse(String name, String json) {
    try {
      Scenario scenario = JSON.readValue(json, Scenario.class);
      scenario.loadProfile();
      return scenario;
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
    }
  }

  Optional<LoadProfile> loadProfile() throws JsonProcessingException {
    if (load == null) {
      return Optional.empty();
    }
    LoadProfileBuilder profile = LoadProfile.of(cluster.bandwidthBytesPerSec()).seed(cluster.seed());
    try {
      FIELDS.readerForUpdating(profile).readValue(load);
    } catch (JsonProcessingException e) {
      throw e;
    } catch (IOException e) {
      throw new IllegalStateException("a tree in memory cannot be read", e);
    }
    return Optional.of(profile.build());
  }
}
