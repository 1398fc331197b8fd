/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

/** Which foreground the scheduler knows; the paper does not say which its simulator used. */
public enum Knowledge {
  /** The mean over the last report interval, as of the last report that has arrived: what a real cluster can know. */
  LAST_REPORT,
  /**
   * That of the very moment of the snapshot; the whole timeslot, if slots of the foreground and of the plan are one.
   */
  CURRENT_SLOT
}
