/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.replay;

import java.util.List;

/**
 * A block that lacked copies in a recovery, or a group that lacked internal blocks. Immutable.
 *
 * @param bytes its length; of a group, that of an internal block
 * @param sources nodes that could serve it, by index
 * @param lackedMs when it lacked each of its copies, in order of time
 * @param finishedMs when each copy was made, in order of time; shorter if some were not
 * @param distinctRacks whether its copies had to be on different racks
 * @param width from how many sources at once each was made: 1 for copies
 */
public record RecordedBlock(long bytes, List<Integer> sources, List<Long> lackedMs, List<Long> finishedMs,
    boolean distinctRacks, int width) {
  public RecordedBlock {
    sources = List.copyOf(sources);
    lackedMs = List.copyOf(lackedMs);
    finishedMs = List.copyOf(finishedMs);
  }
}
