/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The transfers under way, as a state machine ({@code TransferTracker}), and what moves it: agents' reports, the block
 * map, leases, and the search for transfers that stall or are slow at the end. What the loop knows of each agent, and
 * the commands for it. What recovery may use of a node ({@code NodeBandwidth}).
 *
 * <p>May import {@code agents}, {@code exchange} and {@code status}, of the core {@code io.dayu.rules} and
 * {@code io.dayu.schedule.forecast}, {@code io.dayu.blocks} and {@code io.dayu.conf}.
 */
package io.dayu.namenode.transfers;
