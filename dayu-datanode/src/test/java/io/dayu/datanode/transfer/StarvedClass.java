/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

/** A network that starves lower effort. */
public final class StarvedClass {
  private StarvedClass() {
  }

  /** As many DataNodes as it takes were silent on marked connections of this node, and answered unmarked ones. */
  public static void proveTo(NodeShaper shaper) {
    LowerEffortPause marking = shaper.marking();
    for (int i = 0; i < LowerEffortPause.PROOFS; i++) {
      marking.proved("dn" + i);
    }
  }
}
