/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * Emulated NICs for the DataNodes of an embedded cluster, the meter that tells Dayu's agents of them, and what can be
 * computed from their counters.
 *
 * <p>May import Hadoop and, of Dayu, the interface {@code BandwidthMeter} only. The classes that stand in Hadoop's own
 * packages ({@code NicDatasetFactory}, {@code NicDataset}, {@code PipelineAccess}) import this package.
 */
package io.dayu.harness.nic;
