/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import java.util.Arrays;

/** Builds the {@link LiveNode}s of tests. */
public final class LiveNodeFixture {
  private LiveNodeFixture() {
  }

  /** A node of no upgrade domain that stays, and that the placement policy takes as any other. */
  public static LiveNode liveNode(String uuid, String ipAddress, String hostName, int transferPort, String rack,
      boolean target, long[] maxVolumeFreeBytes, int[] volumes) {
    return new LiveNode(new LiveNode.Address(uuid, ipAddress, hostName, transferPort), rack,
        new LiveNode.Space(maxVolumeFreeBytes, volumes, Arrays.stream(maxVolumeFreeBytes).sum()),
        new LiveNode.Status(target, false), LiveNode.Placement.NONE);
  }
}
