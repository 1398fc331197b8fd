/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.RunningTable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Which of the equally loaded nodes of a bucket (ATC'19 §4.1) becomes the target: by a metric of Li and Wei, Optimizing
 * Hash-based Distributed Storage Using Client Choices, slides 12 and 15 to 18. (c_in + s) / B_in goes first, so no
 * single choice is worse than without, up to the width of a bucket. Immutable.
 */
public enum TieBreak {
  /** Whichever comes first in the heap of the bucket. */
  NONE,
  /** The node with the most free bytes: it is the last to be full when all of a bucket receive alike. */
  SPACE,
  /** The node that receives the least foreground. */
  LATENCY,
  /** The node that lacks the fewest bytes of the transfers under way to it, those that end within the lead included. */
  JOURNAL;

  /** Names for {@link #named}; the first is the default. */
  public static List<String> names() {
    List<String> names = new ArrayList<>();
    for (TieBreak value : values()) {
      names.add(value.name().toLowerCase(Locale.ROOT));
    }
    return names;
  }

  /** @throws IllegalArgumentException if there is none of this name */
  public static TieBreak named(String name) {
    int index = names().indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException("no tie-break '" + name + "'; known are " + String.join(", ", names()));
    }
    return values()[index];
  }

  /**
   * The snapshot with this order among its nodes.
   *
   * @param freeBytes free room by node, on all of its storages
   * @param foregroundInBytesPerSec what clients send to a node
   */
  public ClusterSnapshot apply(ClusterSnapshot snapshot, long[] freeBytes, long[] foregroundInBytesPerSec) {
    return switch (this) {
      case NONE -> snapshot;
      case SPACE -> snapshot.with(snapshot.nodes().withTieBreak(negated(freeBytes)));
      case LATENCY -> snapshot.with(snapshot.nodes().withTieBreak(foregroundInBytesPerSec.clone()));
      case JOURNAL -> snapshot.with(snapshot.nodes().withTieBreak(arrivingBytes(snapshot)));
    };
  }

  private static long[] negated(long[] values) {
    long[] negated = new long[values.length];
    Arrays.setAll(negated, i -> -values[i]);
    return negated;
  }

  private static long[] arrivingBytes(ClusterSnapshot snapshot) {
    long[] bytes = new long[snapshot.nodes().count()];
    RunningTable running = snapshot.running();
    for (int r = 0; r < running.count(); r++) {
      bytes[running.target()[r]] += snapshot.tasks().sizeBytes()[running.task()[r]] - running.doneBytes()[r];
    }
    return bytes;
  }
}
