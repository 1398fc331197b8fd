/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * One recovery at flow level: {@code RecoverySimulation} moves through time, {@code Transfers} and {@code Replicas}
 * have its state, {@code LinkSharing} and {@code Agents} say how fast transfers go, meters and {@code CaseChecks} look
 * on.
 *
 * <p>May import {@code io.dayu.sim}, {@code foreground}, {@code placement} and {@code incident}, the core
 * ({@code io.dayu.model}, {@code io.dayu.rules}, {@code io.dayu.schedule}), {@code io.dayu.conf} and Guava. Reads a
 * clock only to measure how long a call of the scheduler takes.
 */
package io.dayu.sim.engine;
