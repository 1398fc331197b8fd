/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The recovery loop, its controller and what carries decisions out; who recovers, Dayu or stock HDFS, and everything by
 * which the work is handed over between the two: the agents' quorum, the wait for adoption, the suspension of stock
 * re-replication, the registrations in HDFS's pending reconstruction, the watchdog.
 *
 * <p>May import {@code recording}, {@code planning}, {@code cluster}, {@code transfers}, {@code agents},
 * {@code exchange} and {@code status}, the core's snapshot ({@code io.dayu.model}) and scheduler
 * ({@code io.dayu.schedule}), {@code io.dayu.blocks}, {@code io.dayu.conf}, and of {@code io.dayu.admin} how a command
 * is refused.
 */
package io.dayu.namenode.loop;
