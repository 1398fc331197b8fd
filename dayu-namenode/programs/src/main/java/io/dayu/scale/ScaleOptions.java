/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.scale;

import io.dayu.programs.options.BadOptionException;
import io.dayu.programs.options.OptionReader;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the benchmark of a large NameNode is asked to do, read from the properties {@code scale.*} and checked.
 * Immutable.
 *
 * @param blocks how many lack a replica
 * @param parts what to measure, in this order; one may come several times
 * @param pace blocks a second in the paced parts
 * @param seconds measured time of each part
 * @param agents in the part that measures their reports
 * @param reportsPerSec of these agents
 * @param conf further settings of the NameNode
 * @param json where the result is written
 */
record ScaleOptions(int nodes, int blocks, List<Part> parts, int pace, int seconds, int agents, int reportsPerSec,
    Map<String, String> conf, Optional<Path> json) {
  /** What can be measured. */
  enum Part {
    STOCK("stock", false),
    DAYU("dayu", false),
    PACE_NONE("pace-none", false),
    PACE_STOCK("pace-stock", true),
    PACE_DAYU("pace-dayu", true),
    PACE_JOURNAL("pace-journal", true),
    REPORTS("reports", false);

    private final String id;
    private final boolean needsBlocksAtThePace;

    Part(String id, boolean needsBlocksAtThePace) {
      this.id = id;
      this.needsBlocksAtThePace = needsBlocksAtThePace;
    }

    String id() {
      return id;
    }

    private static List<String> ids() {
      return List.of(values()).stream().map(Part::id).toList();
    }

    private static Optional<Part> byId(String id) {
      return List.of(values()).stream().filter(part -> part.id.equals(id)).findFirst();
    }
  }

  static final String PREFIX = "scale.";
  static final int WARM_UP_SECONDS = 20;
  /** Bandwidth of the simulated agents, in multiples of what the pace needs: plans do not keep every link full. */
  static final double HEADROOM = 1.2;
  private static final List<String> PROPERTIES = List.of("scale.nodes", "scale.blocks", "scale.parts", "scale.pace",
      "scale.seconds", "scale.agents", "scale.reports", "scale.conf", "scale.json");

  ScaleOptions {
    parts = List.copyOf(parts);
    conf = Collections.unmodifiableMap(new LinkedHashMap<>(conf));
  }

  /** @param properties texts by key, those of others too; a missing or an empty one stands for the default */
  static ScaleOptions read(Map<String, String> properties) throws BadOptionException {
    OptionReader reader = new OptionReader(properties);
    reader.refuseUnknown(PREFIX, PROPERTIES);
    List<Part> parts = parts(reader);
    int pace = (int) reader.number("scale.pace", "5000", 1, 1_000_000);
    int seconds = (int) reader.number("scale.seconds", "20", 1, 3_600);
    // Recovery at a pace must have work until its part ends.
    boolean paced = parts.stream().anyMatch(part -> part.needsBlocksAtThePace);
    long needed = paced ? (long) Math.ceil(HEADROOM * pace * (WARM_UP_SECONDS + seconds)) : 1;
    ScaleOptions options = new ScaleOptions((int) reader.number("scale.nodes", "3500", 10, 100_000),
        (int) reader.number("scale.blocks", "250000", Math.min(needed, 100_000_000), 100_000_000), parts, pace, seconds,
        (int) reader.number("scale.agents", "25000", 1, 1_000_000),
        (int) reader.number("scale.reports", "5000", 1, 1_000_000), reader.conf("scale.conf"),
        reader.file("scale.json"));
    reader.checkSettings("scale.conf", options.conf);
    return options;
  }

  private static List<Part> parts(OptionReader reader) throws BadOptionException {
    String text = reader.text("scale.parts", "stock,dayu,pace-none,pace-stock,pace-dayu");
    List<Part> parts = new ArrayList<>();
    for (String id : text.split(",", -1)) {
      parts.add(Part.byId(id.trim()).orElseThrow(() -> new BadOptionException("scale.parts", text,
          "some of " + String.join(", ", Part.ids()) + ", with one comma between two of them")));
    }
    return parts;
  }
}
