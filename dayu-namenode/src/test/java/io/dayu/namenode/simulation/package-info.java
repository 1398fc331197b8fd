/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * Seeded sequences of faults: the production recovery of two NameNodes, driven by a simulated clock, between a model of
 * HDFS's block management and DataNodes whose agents decide by production code, over a network that loses, delays and
 * duplicates. Invariants are checked after every step.
 *
 * <p>Everything runs on one thread and follows from the seed.
 */
package io.dayu.namenode.simulation;
