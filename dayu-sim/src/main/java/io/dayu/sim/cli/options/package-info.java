/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The options that several commands share, how their values are read, and what is said to a user whose input cannot be
 * used. With the line that says how far the reading or the work is.
 *
 * <p>May import picocli, {@code io.dayu.sim}, {@code foreground}, {@code placement}, {@code incident}, {@code engine},
 * {@code algorithm}, {@code experiment} and {@code io.dayu.schedule.choice}. Only {@code cli} and {@code report} know
 * it.
 */
package io.dayu.sim.cli.options;
