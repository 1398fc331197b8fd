/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

/**
 * How far a recovery filled links beyond 75 %. Immutable.
 *
 * @param percent equations 3 and 4
 * @param foregroundAlonePercent the same had there been no recovery
 * @param causedBytes above 75 % of a link, those that are there only for recovery; unlike the share of all links they
 *     do not become fewer where recovery takes longer
 * @param displacedBytes of foreground that recovery kept from a full link; they come later
 */
public record Interference(double percent, double foregroundAlonePercent, long causedBytes, long displacedBytes) {
  static final Interference NONE = new Interference(0, 0, 0, 0);
}
