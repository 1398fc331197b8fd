/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The paper's own algorithm where Dayu's differs: the bucketed convex hull and iterative WSS (ATC'19 §4.1, §4.3), and
 * the last report as the forecast of foreground. {@code dayu.scheduler.algorithm} = {@code paper} chooses them
 * together, and turns two switches of {@link io.dayu.schedule.PlanningAlgorithm}: {@code holdsRates} on and
 * {@code pressedSourcesFirst} off.
 *
 * <p>May import {@code java.util}, {@code io.dayu.model}, and of {@code io.dayu.schedule} {@code choice}, {@code rates}
 * and {@code forecast}.
 */
package io.dayu.schedule.paper;
