/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The timeslot scheduler (Dayu, ATC'19 §3, §4): from a snapshot to a plan, pure and deterministic. This package has the
 * scheduler itself, the registry of its algorithms, and what becomes of stragglers; {@code choice}, {@code rates} and
 * {@code forecast} have the algorithms, and {@code paper} what only the paper's own needs.
 *
 * <p>May import {@code java.util}, {@code io.dayu.model}, {@code io.dayu.rules} and its own subpackages only: no Hadoop
 * class, thread, clock, logger or unseeded randomness.
 */
package io.dayu.schedule;
