/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * Follows the recovery for people: progress and estimates, the cause, what happened lately, time above alpha, gauges,
 * reminders. Decides nothing but what deadlines of leaving DataNodes need; the recovery loop calls it after each tick.
 *
 * <p>May import {@code loop}, {@code recording}, {@code cluster}, {@code transfers} and {@code agents} to read them,
 * {@code exchange}, {@code status}, {@code io.dayu.rules}, {@code io.dayu.blocks}, {@code io.dayu.conf} and
 * {@code io.dayu.metrics}.
 */
package io.dayu.namenode.monitor;
