/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.WaitingBlock;
import io.dayu.namenode.transfers.Attempt;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * A block with one replica left, or a group without a spare internal block, gets one copy at a time: that is what takes
 * it out of danger. A second one at once would be read from the same last source, and halve the first one's share of
 * it. It follows when the first is there: the block has another source then. A transfer that stands still or is far
 * behind its plan holds it up no longer. Immutable.
 */
public final class FirstCopies {
  private final Set<BlockKey> onTheirWay = new HashSet<>();

  /** @param attempts the transfers under way */
  public FirstCopies(Collection<Attempt> attempts, long nowNs) {
    for (Attempt attempt : attempts) {
      if (takesOutOfDanger(attempt) && attempt.isOnItsWay(nowNs)) {
        onTheirWay.add(attempt.block());
      }
    }
  }

  /** Not one that copies an internal block that is there, from a leaving node or for placement: others are lacking. */
  private static boolean takesOutOfDanger(Attempt attempt) {
    return attempt.request().group() == null || attempt.rebuilds() && !attempt.rebuildsLeaving();
  }

  /** At least as many blocks as {@link #isAwaited} can be true of. */
  int max() {
    return onTheirWay.size();
  }

  /** Whether the block gets one copy at a time, and one is on its way. */
  public boolean isAwaited(WaitingBlock block) {
    return block.isAtHighestRisk() && onTheirWay.contains(block.key());
  }

  /** The block with the copies that may be planned at once. */
  public static WaitingBlock withCopiesAtOnce(WaitingBlock block) {
    return block.isAtHighestRisk() && block.copies() > 1 ? block.oneAtOnce() : block;
  }
}
