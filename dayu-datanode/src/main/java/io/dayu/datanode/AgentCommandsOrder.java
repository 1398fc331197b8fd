/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.AgentCommandsProto;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;

/**
 * Decides which commands for one block pool the agent obeys: the newest. Safe for use by all threads.
 *
 * <p>Within an activation a higher sequence is newer; commands with the same sequence say the same, but renew the
 * leases. Activations of different NameNodes cannot be compared by value, since clocks differ. So the agent remembers
 * the activations that it has left and never goes back to one of them: late commands of a NameNode that is no longer
 * active are refused.
 */
final class AgentCommandsOrder {
  private static final int MAX_SUPERSEDED = 64;

  private final Deque<Long> superseded = new ArrayDeque<>();
  private boolean any;
  private long activation;
  private long sequence;

  /**
   * Applies {@code commands} if the DataNode takes their NameNode for the active one and they are accepted; returns
   * whether it did. No other commands are applied meanwhile. So commands that were accepted are never applied after
   * newer ones, and those of a NameNode that another one has replaced are refused even if this agent never obeyed it.
   *
   * @param isActive whether the DataNode takes their NameNode for the active one now
   */
  synchronized boolean obey(AgentCommandsProto commands, BooleanSupplier isActive, Runnable apply) {
    boolean obeyed = isActive.getAsBoolean() && accept(commands);
    if (obeyed) {
      apply.run();
    }
    return obeyed;
  }

  /** Accepts {@code commands} and returns true, unless newer ones were accepted before. */
  synchronized boolean accept(AgentCommandsProto commands) {
    if (any && commands.getActivation() == activation) {
      if (commands.getSequence() < sequence) {
        return false;
      }
    } else if (superseded.contains(commands.getActivation())) {
      return false;
    } else if (any) {
      superseded.addLast(activation);
      if (superseded.size() > MAX_SUPERSEDED) {
        superseded.removeFirst();
      }
    }
    any = true;
    activation = commands.getActivation();
    sequence = commands.getSequence();
    return true;
  }
}
