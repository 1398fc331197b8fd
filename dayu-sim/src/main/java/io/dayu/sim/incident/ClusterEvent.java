/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.incident;

import java.util.Arrays;

/**
 * Something that happens to a node. Immutable.
 *
 * @param atMs since the begin of the incident
 */
public record ClusterEvent(long atMs, Kind kind, int node) {

  /** What happens. */
  public enum Kind {
    /** The node is gone with all that it holds. */
    NODE_LOST("node"),
    /** One of its {@link Incident#DISKS} disks is gone; the node goes on. */
    DISK_LOST("disk"),
    /** A node that was gone is there again, with all that it held. */
    BACK("back"),
    /** Its blocks are to be copied to others; it serves them meanwhile and receives nothing. */
    DECOMMISSION("decommission");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    /** As users write it. */
    @Override
    public String toString() {
      return word;
    }

    /**
     * The kind with this name.
     *
     * @throws IllegalArgumentException naming the known ones
     */
    public static Kind named(String name) {
      return Arrays.stream(values()).filter(kind -> kind.word.equals(name)).findFirst()
          .orElseThrow(
              () -> new IllegalArgumentException("'" + name + "', expected node, rack, disk, back or decommission"));
    }
  }

  /** Whether blocks lack copies after it. */
  public boolean loses() {
    return kind != Kind.BACK;
  }
}
