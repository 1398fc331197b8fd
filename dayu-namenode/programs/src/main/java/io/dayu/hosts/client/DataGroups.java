/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;

/**
 * The erasure-coded part of a data set: files of one full group each. Immutable.
 *
 * @param policy HDFS's name of the policy; empty if there are no groups
 * @param dataUnits k: internal blocks with data in a group
 * @param parityUnits internal blocks with parity
 * @param count groups
 */
public record DataGroups(String policy, int dataUnits, int parityUnits, int count) {
  /** A data set of replicated files alone. */
  public static final DataGroups NONE = new DataGroups("", 0, 0, 0);

  /** How many data blocks a group of that length has. */
  public static int dataBlocks(ErasureCodingPolicy policy, long groupBytes) {
    long cells = (groupBytes + policy.getCellSize() - 1) / policy.getCellSize();
    return (int) Math.min(policy.getNumDataUnits(), cells);
  }

  /** Internal blocks of a group. */
  public int units() {
    return dataUnits + parityUnits;
  }

  public int internalBlocks() {
    return count * units();
  }
}
