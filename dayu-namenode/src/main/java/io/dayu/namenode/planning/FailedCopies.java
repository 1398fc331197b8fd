/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.BlockKey;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The last copies of a block that failed or were refused, for people; decides nothing. Owned by the recovery loop; not
 * thread-safe. Bounded: of so many blocks, those whose copies failed last, and of each the last few.
 */
public final class FailedCopies {
  private static final int MAX_BLOCKS = 10_000;
  private static final int MAX_COPIES = 3;
  /** What an agent reports may be much longer. */
  private static final int MAX_REASON_LENGTH = 200;
  private static final Pattern LINE_BREAK = Pattern.compile("\\R");

  /**
   * A copy, or an internal block of a group, that was not made. Immutable.
   *
   * @param target UUID of the DataNode that was to receive it
   * @param sources UUIDs of those that it was read from at last
   * @param reason why it was not made, for people
   * @param endedNs when it was given up
   */
  public record FailedCopy(String target, List<String> sources, String reason, long endedNs) {
    public FailedCopy {
      sources = List.copyOf(sources);
      String line = LINE_BREAK.matcher(reason).replaceAll(" ");
      reason = line.length() <= MAX_REASON_LENGTH ? line : line.substring(0, MAX_REASON_LENGTH) + "...";
    }
  }

  private final Map<Long, List<FailedCopy>> copies = new LinkedHashMap<>() {
    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, List<FailedCopy>> eldest) {
      return size() > MAX_BLOCKS;
    }
  };

  public void add(BlockKey block, FailedCopy copy) {
    // Removed first, so that the block is the youngest one.
    List<FailedCopy> known = copies.remove(block.blockId());
    List<FailedCopy> last = known == null ? new ArrayList<>(1) : known;
    if (last.size() == MAX_COPIES) {
      last.remove(0);
    }
    last.add(copy);
    copies.put(block.blockId(), last);
  }

  /** Of this block, the oldest first. */
  public List<FailedCopy> of(BlockKey block) {
    return List.copyOf(copies.getOrDefault(block.blockId(), List.of()));
  }

  void forget(BlockKey block) {
    copies.remove(block.blockId());
  }

  void clear() {
    copies.clear();
  }
}
