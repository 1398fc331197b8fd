/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.model;

/**
 * The waiting work that is not among the tasks of a snapshot; the tasks are what a timeslot may reach. Immutable; the
 * caller must not change the array.
 *
 * @param commonBytes by node, bytes of further waiting blocks that it can serve; empty if there are none
 * @param copyBytes bytes of all copies that further blocks lack
 */
public record UnselectedBlocks(long[] commonBytes, double copyBytes) {
  /** Nothing else waits. */
  public static final UnselectedBlocks NONE = new UnselectedBlocks(new long[0], 0);

  /** Bytes of further waiting blocks that the node can serve. */
  public long commonBytes(int node) {
    return commonBytes.length == 0 ? 0 : commonBytes[node];
  }
}
