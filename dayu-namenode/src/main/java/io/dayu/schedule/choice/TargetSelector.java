/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

/**
 * Chooses the target of a block among the allowed nodes. Those of the NameNode's jar take the node with the smallest
 * expected finish time (c_in + s) / B_recover_in of ATC'19 §4.1, where B is taken at bucket precision
 * ({@link NodeLoads#selectionBandwidth}). Not thread-safe; sees every change of load.
 */
public interface TargetSelector {

  /** The name by which settings and reports call this algorithm. */
  String name();

  /** Begins a plan. Later changes of {@code loads} are told by {@link #loadChanged}. */
  void reset(NodeLoads loads);

  /**
   * Selects one of the nodes that accept more ({@link NodeLoads#acceptsMore}) and are allowed. The same snapshot always
   * gets the same node.
   *
   * @param sizeBytes bytes that the target is to receive
   * @return a node, or -1 if there is none
   */
  int select(long sizeBytes, TargetRules rules);

  /** Tells that {@code node} has been assigned more, or has no stream left. */
  void loadChanged(int node);
}
