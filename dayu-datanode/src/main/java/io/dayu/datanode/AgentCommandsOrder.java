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

/**
 * Decides which commands for one block pool the agent obeys: the newest. Safe for use by all threads.
 *
 * <p>Within an activation a higher sequence is newer; commands with the same sequence say the same, but renew the
 * leases. Activations of different NameNodes cannot be compared by value, since clocks differ. So the agent remembers
 * the activations that it has left and never goes back to one of them: late commands of a NameNode that is no longer
 * active are refused. Commands of an activation that it has never obeyed may be late, too: on their way, or since the
 * thread that received them stood still. So they are refused if they answer a report that was sent before the last
 * commands were obeyed, or before the DataNode held their NameNode for active ({@link ReportExchange}); their NameNode
 * sends others in answer to the next report.
 */
final class AgentCommandsOrder {
  private static final int MAX_SUPERSEDED = 64;

  private final Deque<Long> superseded = new ArrayDeque<>();
  private boolean any;
  private long activation;
  private long sequence;
  private long obeyedNs;

  /** Whether the commands that were obeyed last are of this activation. */
  synchronized boolean isCurrent(long candidate) {
    return any && activation == candidate;
  }

  /**
   * Accepts {@code commands} and returns true, unless newer ones were accepted before. A caller that obeys them holds
   * this object's monitor until it has, so that commands are obeyed in the order in which they are accepted.
   *
   * @param sentNs when the report was sent that they answer; both times by {@link System#nanoTime()}
   */
  synchronized boolean accept(AgentCommandsProto commands, long sentNs, long nowNs) {
    if (any && commands.getActivation() == activation) {
      if (commands.getSequence() < sequence) {
        return false;
      }
    } else if (superseded.contains(commands.getActivation()) || any && sentNs - obeyedNs < 0) {
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
    obeyedNs = nowNs;
    return true;
  }
}
