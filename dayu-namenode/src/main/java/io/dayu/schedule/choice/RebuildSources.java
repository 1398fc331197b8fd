/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;

/**
 * A policy that chooses the k sources of a rebuild, which send at once. It need not be thread-safe; a scheduler calls
 * it from one thread.
 */
public interface RebuildSources {

  /** Begins a plan. */
  void reset(NodeTable planNodes, IntRows planHolders, NodeLoads planLoads);

  /**
   * Chooses all sources of a rebuild.
   *
   * @param bytes what each source is to send
   * @param width k, how many are needed
   * @return whether there are as many that have a stream free and are not saturated; {@link #chosen} has them then
   */
  boolean select(int task, long bytes, int width);

  /** The sources selected last; not to be written to. */
  int[] chosen();

  /**
   * Chooses one source beside others that stay.
   *
   * @param bytes what it is to send
   * @param sources has the others from {@code from} to before {@code end}; negative ones are none
   * @param among if not null, only nodes that are true in it are considered
   * @return a node, or -1
   */
  int selectBeside(int task, long bytes, int[] sources, int from, int end, boolean[] among);
}
