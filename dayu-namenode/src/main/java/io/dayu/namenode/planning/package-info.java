/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * One timeslot's decision: the waiting blocks that were read, which of them to plan with, the snapshot for the
 * scheduler, and the plan translated back. Which blocks avoid which targets, and which go to stock HDFS.
 *
 * <p>May import {@code transfers} and {@code exchange}, the core ({@code io.dayu.model}, {@code io.dayu.queue},
 * {@code io.dayu.rules}, {@code io.dayu.schedule}), {@code io.dayu.blocks} and {@code io.dayu.conf}. Does not know
 * {@code cluster}: the loop hands in nodes and loads.
 */
package io.dayu.namenode.planning;
