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
 * Chooses the source of a block among the nodes that hold it (ATC'19 §4.1). Not thread-safe; one instance serves one
 * plan after another, and the same plan always gets the same answers.
 */
public interface SourceSelector {

  /** Begins a plan. */
  void reset(NodeTable planNodes, IntRows planHolders, NodeLoads planLoads);

  /**
   * Chooses for {@code bytes} of the block in row {@code task}.
   *
   * @param among if not null, only nodes that are true in it are considered
   * @return a node that has a stream free and is not saturated by these bytes, or -1
   */
  int select(int task, long bytes, boolean[] among);
}
