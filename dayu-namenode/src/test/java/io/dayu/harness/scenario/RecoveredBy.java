/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.scenario;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Who must have done the work of a scenario, by Dayu's own counters. */
public enum RecoveredBy {
  /** Dayu, and nothing was left to stock HDFS. */
  @JsonProperty("dayu")
  DAYU,
  /** Stock HDFS; Dayu does not run, or has finished nothing. */
  @JsonProperty("stock")
  STOCK,
  /** Dayu held the queues and left some blocks, like erasure-coded ones, to stock HDFS. */
  @JsonProperty("both")
  BOTH
}
