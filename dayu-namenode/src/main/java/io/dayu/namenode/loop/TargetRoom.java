/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.LiveNode;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Notices when a DataNode may take blocks that none could take before: it has become a target, moved to another rack or
 * upgrade domain, or the room of its largest volume has grown past a power of two. Owned by the recovery loop; not
 * thread-safe.
 */
final class TargetRoom {
  /**
   * What was last seen of a target.
   *
   * @param roomBits by type of storage, the bits that the room of its largest volume takes as a number of bytes
   */
  private record Target(String rack, String upgradeDomain, int[] roomBits) {
    private static Target of(LiveNode node) {
      int[] roomBits = new int[node.space().maxVolumeFreeBytes().length];
      for (int type = 0; type < roomBits.length; type++) {
        roomBits[type] = Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, node.space().maxVolumeFreeBytes()[type]));
      }
      return new Target(node.rack(), node.placement().upgradeDomain(), roomBits);
    }

    private boolean improves(Target before) {
      boolean improves = before == null || !rack.equals(before.rack)
          || upgradeDomain != null && !upgradeDomain.equals(before.upgradeDomain);
      for (int type = 0; !improves && type < roomBits.length; type++) {
        improves = roomBits[type] > before.roomBits[type];
      }
      return improves;
    }
  }

  private Map<String, Target> targets = Map.of();

  /** Whether there is more to choose from among {@code nodes} than there was with the last call. */
  boolean hasGrown(Collection<LiveNode> nodes) {
    Map<String, Target> now = new HashMap<>();
    boolean hasGrown = false;
    for (LiveNode node : nodes) {
      if (node.target()) {
        Target target = Target.of(node);
        hasGrown |= target.improves(targets.get(node.uuid()));
        now.put(node.uuid(), target);
      }
    }
    targets = now;
    return hasGrown;
  }
}
