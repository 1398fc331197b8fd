/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * The kind of each block of a list. It takes a byte for each block, and nothing where all are of one kind. Immutable
 * and thread-safe.
 */
public final class BlockKinds {
  private static final int MAX_KINDS = 256;

  private final BlockKind[] kinds;
  /** By block, the index of its kind; null if all are of one kind. */
  private final byte[] kindOf;

  private BlockKinds(BlockKind[] kinds, byte[] kindOf) {
    this.kinds = kinds;
    this.kindOf = kindOf;
  }

  /** Any number of blocks of one kind. */
  public static BlockKinds all(BlockKind kind) {
    return new BlockKinds(new BlockKind[] {kind}, null);
  }

  public BlockKind of(int block) {
    return kinds[kindOf == null ? 0 : kindOf[block] & 0xff];
  }

  /** Whether any block is of such a kind. */
  public boolean any(Predicate<BlockKind> condition) {
    return Arrays.stream(kinds).anyMatch(condition);
  }

  /** Collects kinds, block by block. Used once. */
  public static final class Builder {
    private final List<BlockKind> kinds = new ArrayList<>();
    private byte[] kindOf;
    private int count;

    /** Adds the kind of the next block. */
    public Builder add(BlockKind kind) {
      int index = kinds.indexOf(kind);
      if (index < 0) {
        index = kinds.size();
        kinds.add(kind);
        if (index == 1) {
          kindOf = new byte[Math.max(1024, 2 * count)];
        } else if (index == MAX_KINDS) {
          throw new IllegalArgumentException("more than " + MAX_KINDS + " kinds of blocks");
        }
      }
      if (kindOf != null) {
        if (count == kindOf.length) {
          kindOf = Arrays.copyOf(kindOf, 2 * count);
        }
        kindOf[count] = (byte) index;
      }
      count++;
      return this;
    }

    /** The kinds of at least one block. */
    public BlockKinds build() {
      if (count == 0) {
        throw new IllegalArgumentException("no blocks");
      }
      return new BlockKinds(kinds.toArray(BlockKind[]::new), kindOf == null ? null : Arrays.copyOf(kindOf, count));
    }
  }
}
