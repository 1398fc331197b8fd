/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

/**
 * What one plan did. Immutable.
 *
 * @param startSec when it took effect, since the failure
 * @param running transfers under way when it was made
 * @param evicted of these, given up
 * @param started new transfers
 * @param plannedBytes bytes of the new transfers and of what was left of the kept ones
 * @param volumeBytes S of equation 2
 * @param movedBytes what was really moved until the next plan took effect
 * @param lost where it lost time against the ideal, until the next plan took effect
 * @param planMillis time that the call of the scheduler took on this machine
 */
public record SlotOutcome(double startSec, int running, int evicted, int started, long plannedBytes, long volumeBytes,
    long movedBytes, LostTime lost, double planMillis) {
}
