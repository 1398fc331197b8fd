/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.faults;

/**
 * One fault of a round. Immutable.
 *
 * @param kind what happens
 * @param node the DataNode that it hits, or -1 if it hits a NameNode
 * @param peer another DataNode, which the first one cannot send to
 * @param beginMs since the round's begin
 * @param endMs since the round's begin, when it is undone
 * @param volume the volume, of a fault of a disk
 * @param clockSec by how much the clock is set wrong, of a fault of the clock
 */
public record DrawnFault(FaultKind kind, int node, int peer, int beginMs, int endMs, int volume, int clockSec) {
  public DrawnFault {
    if (beginMs < 0 || endMs <= beginMs || node >= 0 != (kind.target() == FaultKind.Target.DATA_NODE)
        || node >= 0 && peer == node) {
      throw new IllegalArgumentException(kind + " of " + node + " and " + peer + ", " + beginMs + " to " + endMs);
    }
  }
}
