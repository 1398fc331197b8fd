/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * What agents and the recovery loop tell each other, as plain records: the loop knows no messages of the wire.
 * {@code io.dayu.namenode.agents} translates.
 *
 * <p>May import {@code io.dayu.blocks}, and nothing else besides {@code java.*}.
 */
package io.dayu.namenode.exchange;
