/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.exchange;

import io.dayu.blocks.BlockKey;

import java.util.List;

/**
 * All that an agent should be doing: it cancels running transfers that are not granted here.
 *
 * @param activation of this NameNode; commands are ordered by activation and sequence
 * @param acknowledged transfers whose end the NameNode has noted: the agent may forget them
 * @param grants in the order in which the agent starts them
 * @param suspects replicas of this DataNode that failed as sources: it is to check them
 * @param verifications replicas of this DataNode that it is to read as a whole
 * @param meterSharers how many agents, this one included, have its meter
 */
public record Commands(long activation, long sequence, List<Long> acknowledged, List<Grant> grants,
    List<Suspect> suspects, List<Suspect> verifications, int meterSharers) {
  /** A replica that is to be checked, or read as a whole. */
  public record Suspect(BlockKey block, long numBytes) {
  }
}
