/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.DirectionsProto;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Which directions for one block pool are to be obeyed: the newest. Safe for use by all threads.
 *
 * <p>Within an activation the higher sequence is the newer; the same one again says the same, but renews the leases. Activations of different
 * NameNodes cannot be compared by value, as clocks differ; but once an agent has gone over from one to another it never goes back, so late
 * directions of a NameNode that has lost its place are known.
 */
final class DirectionsOrder {
  private static final int MAX_SUPERSEDED = 64;

  private final Deque<Long> superseded = new ArrayDeque<>();
  private boolean any;
  private long activation;
  private long sequence;

  /** True, and noted, if none newer than {@code directions} were accepted before. */
  synchronized boolean accept(DirectionsProto directions) {
    if (any && directions.getActivation() == activation) {
      if (directions.getSequence() < sequence) {
        return false;
      }
    } else if (superseded.contains(directions.getActivation())) {
      return false;
    } else if (any) {
      superseded.addLast(activation);
      if (superseded.size() > MAX_SUPERSEDED) {
        superseded.removeFirst();
      }
    }
    any = true;
    activation = directions.getActivation();
    sequence = directions.getSequence();
    return true;
  }
}
