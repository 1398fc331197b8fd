/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.options;

import io.dayu.sim.Cluster;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.incident.ClusterEvent;
import io.dayu.sim.incident.EventPattern;
import picocli.CommandLine.TypeConversionException;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Reads events as users write them, {@code 30s:node:node17}. Static methods only. */
final class EventOption {
  private EventOption() {
  }

  /** The events on the nodes of an experiment. */
  static List<EventPattern> read(List<String> texts, Experiment experiment, NodeNames names) {
    List<EventPattern> patterns = patterns(texts, experiment, names);
    if (patterns.get(0).atMs() != 0 || patterns.get(0).kind() == ClusterEvent.Kind.BACK
        || patterns.get(0).subject() == EventPattern.SAME) {
      throw new BadInputException("--event = " + texts.get(0) + ", expected a first event that loses something at 0s");
    }
    for (int i = 1; i < patterns.size(); i++) {
      if (patterns.get(i).kind() == ClusterEvent.Kind.BACK && !mayBeGone(patterns, i, experiment.cluster())) {
        throw new BadInputException("--event = " + texts.get(i) + ": no event before it takes that node away");
      }
    }
    return patterns;
  }

  /** Whether an event before, or one at random, may have lost the node that this one brings back. */
  private static boolean mayBeGone(List<EventPattern> patterns, int back, Cluster cluster) {
    int named = back;
    while (patterns.get(named).subject() == EventPattern.SAME) {
      named--;
    }
    int node = patterns.get(named).subject();
    for (EventPattern before : patterns) {
      if (before.kind() == ClusterEvent.Kind.NODE_LOST && before.atMs() <= patterns.get(back).atMs()
          && (node < 0 || before.subject() < 0 || patterns.get(named).rack()
              || before.subject() == (before.rack() ? cluster.rack(node) : node))) {
        return true;
      }
    }
    return false;
  }

  private static List<EventPattern> patterns(List<String> texts, Experiment experiment, NodeNames names) {
    List<EventPattern> patterns = new ArrayList<>();
    for (String text : texts) {
      String[] parts = text.split(":", 3);
      if (parts.length < 3) {
        throw new BadInputException("--event = " + text + ", expected TIME:WHAT:WHICH such as 30s:node:node17");
      }
      boolean rack = parts[1].equals("rack");
      try {
        patterns.add(new EventPattern(new TimeSpan.Converter().convert(parts[0]).millis(), rack,
            rack ? ClusterEvent.Kind.NODE_LOST : ClusterEvent.Kind.named(parts[1]),
            subject(text, parts[2], rack, experiment, names)));
      } catch (TypeConversionException | IllegalArgumentException e) {
        throw new BadInputException("--event = " + text + ": " + e.getMessage());
      }
    }
    return patterns;
  }

  private static int subject(String text, String which, boolean rack, Experiment experiment,
      NodeNames names) {
    if (which.equals("random")) {
      return EventPattern.RANDOM;
    }
    if (which.equals("same") && !rack) {
      return EventPattern.SAME;
    }
    if (!rack) {
      return names.require("--event = " + text, which);
    }
    int count = experiment.cluster().rackCount();
    return IntStream.range(0, count).filter(one -> which.equals("" + one)).findFirst()
        .orElseThrow(() -> new BadInputException(
            "--event = " + text + ": no such rack, expected 0 to " + (count - 1)));
  }
}
