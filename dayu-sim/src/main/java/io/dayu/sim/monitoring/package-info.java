/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * What monitoring systems measured of a cluster's traffic, made into a {@link io.dayu.sim.foreground.Trace}. One reader
 * for each kind of file fills {@code Samples}, a {@code Series} for each direction of a node; {@code TraceSlots} checks
 * units, intervals and gaps and cuts them into slots. May import {@code java.util}, {@code java.time}, Jackson, Guava
 * and {@code io.dayu.sim}; no clock.
 */
package io.dayu.sim.monitoring;
