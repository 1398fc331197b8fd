/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.tune;

/**
 * What settings did: means over the failures that were tried; also as JSON. Immutable.
 *
 * @param settings which
 * @param recoveryTimeSec from the failure to the last block recovered
 * @param ratioToIdeal the same as a multiple of the ideal time, which depends on α
 * @param interferencePercent equations 3 and 4
 * @param foregroundAlonePercent the same without recovery
 * @param unfinished recoveries that did not end within the limit
 */
public record Measured(TunedSettings settings, double recoveryTimeSec, double ratioToIdeal, double interferencePercent,
    double foregroundAlonePercent, int unfinished) {
}
