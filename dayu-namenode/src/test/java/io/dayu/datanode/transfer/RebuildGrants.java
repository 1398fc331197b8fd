/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;

/** Whether an agent can rebuild what it is granted, by the production class, for tests in another package. */
public final class RebuildGrants {
  private final RebuildSpec spec;

  /** @throws IllegalArgumentException if it cannot */
  public RebuildGrants(String blockPoolId, GrantProto grant) {
    BlockSpecProto block = grant.getBlock();
    this.spec = RebuildSpec.of(new ExtendedBlock(blockPoolId, block.getBlockId(), block.getNumBytes(),
        block.getGenerationStamp()), grant);
  }

  /** @throws IllegalArgumentException if it cannot go on by a newer grant of the same attempt */
  public void check(GrantProto newer) {
    spec.checkSources(newer);
  }
}
