/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The RPC side that agents talk to: who may report, which reports are refused, what is answered and when. RPC handlers
 * run it; the recovery loop reads the reports and publishes commands by {@code AgentRegistry}, {@code AgentSession} and
 * {@code ReportResponder}. Only this package knows messages of the wire, and translates them ({@code WireMessages}).
 *
 * <p>May import {@code exchange}, {@code io.dayu.blocks}, {@code io.dayu.model}, {@code io.dayu.conf} and
 * {@code io.dayu.protocol}. Knows no other package of {@code io.dayu.namenode}, so no transfer and no plan.
 */
package io.dayu.namenode.agents;
