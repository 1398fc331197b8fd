/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import io.dayu.harness.TestOption;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.io.erasurecode.ErasureCodeConstants;
import org.junit.jupiter.api.Test;

import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;

final class GroupPolicyTest {
  @Test
  void internalBytes_areThoseOfHdfs() {
    long seed = TestOption.seed("lengths.seed", 1);
    Random random = new Random(seed);
    for (ErasureCodingPolicy policy : SystemErasureCodingPolicies.getPolicies()) {
      if (policy.getCodecName().equals(ErasureCodeConstants.REPLICATION_CODEC_NAME)) {
        continue;
      }
      GroupPolicy own = new GroupPolicy(policy.getName(), policy.getCodecName(), policy.getNumDataUnits(),
          policy.getNumParityUnits(), policy.getCellSize());
      for (int i = 0; i < 300; i++) {
        long cells = random.nextInt(3 * policy.getNumDataUnits());
        long bytes = Math.max(1, cells * policy.getCellSize() + random.nextInt(3) - 1);
        for (int index = 0; index < policy.getNumDataUnits() + policy.getNumParityUnits(); index++) {
          assertEquals(StripedBlockUtil.getInternalBlockLength(bytes, policy, index), own.internalBytes(bytes, index),
              policy.getName() + ", " + bytes + " bytes, index " + index + ", seed " + seed);
        }
      }
    }
  }
}
