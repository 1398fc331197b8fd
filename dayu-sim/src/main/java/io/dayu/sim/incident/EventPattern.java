/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.incident;

import io.dayu.sim.Cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * An event whose node may be drawn by chance for each incident. Immutable.
 *
 * @param rack whether the subject is a rack, all of whose nodes are lost
 * @param subject node or rack, {@link #RANDOM} or {@link #SAME}
 */
public record EventPattern(long atMs, boolean rack, ClusterEvent.Kind kind, int subject) {
  /** A random node or rack. */
  public static final int RANDOM = -1;
  /** That of the event before. */
  public static final int SAME = -2;

  /** The events of one incident. */
  public static List<ClusterEvent> draw(List<EventPattern> patterns, Cluster cluster, int[] candidates,
      SplittableRandom random) {
    List<ClusterEvent> events = new ArrayList<>();
    int before = -1;
    for (EventPattern pattern : patterns) {
      int drawn = candidates[random.nextInt(candidates.length)];
      if (pattern.rack) {
        int rack = pattern.subject == RANDOM ? cluster.rack(drawn) : pattern.subject;
        for (int node = 0; node < cluster.nodes(); node++) {
          if (cluster.rack(node) == rack) {
            events.add(new ClusterEvent(pattern.atMs, pattern.kind, node));
            before = node;
          }
        }
      } else {
        before = pattern.subject == RANDOM ? drawn : pattern.subject == SAME ? before : pattern.subject;
        events.add(new ClusterEvent(pattern.atMs, pattern.kind, before));
      }
    }
    return events;
  }
}
