/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The timeslot as a problem for general solvers (MILP and MCMF of ATC'19, Table 2), to hold Dayu's heuristics against
 * the optimum. Needs OR-Tools and its native libraries, hence a module of its own. May import {@code io.dayu.model},
 * {@code io.dayu.schedule}, {@code io.dayu.sim.algorithm} and OR-Tools.
 */
package io.dayu.optimum;
