/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.algorithm;

import java.util.HashMap;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * What clients know of nodes: the metrics that the answers to their probes carried, until these are too old (Li and
 * Wei, Optimizing Hash-based Distributed Storage Using Client Choices, slides 10 and 11). Each client knows only what
 * it was told itself. Counts messages. Not thread-safe.
 */
final class ProbedMetrics {
  /** A probe and its answer. */
  private static final int MESSAGES_PER_PROBE = 2;

  private record Heard(long timeslot, double metric) {
  }

  private final int maxAge;
  private final Map<Long, Heard> heard = new HashMap<>();
  private long timeslot;
  private long messages;

  /** @param maxAge number of timeslots for which an answer is used again; 0 = always probe */
  ProbedMetrics(int maxAge) {
    this.maxAge = maxAge;
  }

  long messages() {
    return messages;
  }

  /** Forgets what is too old by now. */
  void beginTimeslot() {
    timeslot++;
    heard.values().removeIf(answer -> timeslot - answer.timeslot > maxAge);
  }

  /** What the client takes the node's metric for: what it last heard, or what the node answers now. */
  double metric(int client, int node, DoubleSupplier now) {
    long pair = (long) client << Integer.SIZE | node;
    Heard known = heard.get(pair);
    if (known != null) {
      return known.metric;
    }
    messages += MESSAGES_PER_PROBE;
    double metric = now.getAsDouble();
    if (maxAge > 0) {
      heard.put(pair, new Heard(timeslot, metric));
    }
    return metric;
  }
}
