/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The simulator: recoveries of whole nodes, planned by the production scheduler, on simulated links (ATC'19 §5). See
 * docs/simulator-model.md. This package has the simulated cluster and what all others use; it imports none of them.
 *
 * <p>{@code foreground}, {@code placement} and {@code incident} make or read the inputs, {@code engine} runs one
 * recovery, {@code algorithm} lists what can be compared, {@code experiment} runs many recoveries, {@code plot} draws,
 * {@code cli} is for people. The paper's figures and studies are in {@code dayu-sim/paper}. {@code SimulatorRulesTest}
 * holds which package may use which. All but {@code cli} are free of clocks and of unseeded randomness, except that the
 * engine measures how long each call of the scheduler takes.
 */
package io.dayu.sim;
