/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

/**
 * The foreground traffic of a cluster over time: a constant rate for each node and direction in each slot. Immutable
 * and thread-safe; streams opened on the same slot are equal.
 */
public interface ForegroundModel {

  int nodes();

  /** Length of a slot. */
  long slotMs();

  /** Slots among which a moment of failure is chosen. */
  long slots();

  /** The traffic from {@code firstSlot} on, without end. Negative slots are allowed. */
  ForegroundStream open(long firstSlot);
}
