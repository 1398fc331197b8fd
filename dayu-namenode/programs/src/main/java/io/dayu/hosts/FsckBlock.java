/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.DataGroups;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A block or an erasure-coded group of a closed file, as {@code fsck -files -blocks -locations} lists it. Immutable.
 *
 * @param id as in {@code blk_1073741825}
 * @param live replicas that count, or internal blocks
 * @param wanted as many as there should be
 * @param sources how many of them it takes to make another
 * @param holders by the address of a DataNode, the block that it has: this one, or an internal block of this group
 */
record FsckBlock(String id, int live, int wanted, int sources, Map<String, String> holders) {
  private static final Pattern REPLICATED_FILE = Pattern.compile(" bytes, replicated: replication=(\\d+), ");
  private static final Pattern CODED_FILE = Pattern.compile(" bytes, erasure-coded: policy=([^,]+), ");
  private static final Pattern BLOCK = Pattern.compile(":(blk_-?\\d+)_\\d+ len=(\\d+) Live_repl=(\\d+)(.*)");
  private static final Pattern HOLDER =
      Pattern.compile("(?:(blk_-?\\d+):)?DatanodeInfoWithStorage\\[([\\d.]+):");
  private static final Pattern EXCESS =
      Pattern.compile("(?:(blk_-?\\d+):)?DatanodeInfoWithStorage\\[([^,]+),[^]]*]\\(EXCESS\\)");

  FsckBlock {
    holders = Map.copyOf(holders);
  }

  /** Blocks without any replica are not among them. */
  static List<FsckBlock> all(String text) {
    List<FsckBlock> blocks = new ArrayList<>();
    int replication = 0;
    ErasureCodingPolicy policy = null;
    for (String line : text.lines().toList()) {
      Matcher replicated = REPLICATED_FILE.matcher(line);
      Matcher coded = CODED_FILE.matcher(line);
      Matcher block = BLOCK.matcher(line);
      if (replicated.find()) {
        replication = Integer.parseInt(replicated.group(1));
        policy = null;
      } else if (coded.find()) {
        policy = SystemErasureCodingPolicies.getByName(coded.group(1));
      } else if (block.find()) {
        int live = Integer.parseInt(block.group(3));
        int sources = policy == null ? 1 : DataGroups.dataBlocks(policy, Long.parseLong(block.group(2)));
        int wanted = policy == null ? replication : sources + policy.getNumParityUnits();
        blocks.add(new FsckBlock(block.group(1), live, wanted, sources, holders(block.group(1), block.group(4))));
      }
    }
    return blocks;
  }

  /** The replicas that are to be deleted, by {@code fsck -files -blocks -replicaDetails}: each block and DataNode. */
  static List<String> excess(String text) {
    List<String> excess = new ArrayList<>();
    for (String line : text.lines().toList()) {
      Matcher block = BLOCK.matcher(line);
      Matcher replica = EXCESS.matcher(line);
      boolean isBlock = block.find();
      while (isBlock && replica.find()) {
        excess.add(Objects.requireNonNullElse(replica.group(1), block.group(1)) + " on " + replica.group(2));
      }
    }
    return excess;
  }

  boolean isWhole() {
    return live >= wanted;
  }

  boolean isGroup() {
    return id.contains("-");
  }

  Set<String> addresses() {
    return holders.keySet();
  }

  /** Whether these DataNodes have enough for another to be made: of a group, internal blocks that are not the same. */
  boolean canBeMadeFrom(Set<String> nodes) {
    return holders.entrySet().stream().filter(holder -> nodes.contains(holder.getKey())).map(Map.Entry::getValue)
        .distinct().count() >= sources;
  }

  private static Map<String, String> holders(String id, String locations) {
    Map<String, String> holders = new HashMap<>();
    Matcher holder = HOLDER.matcher(locations);
    while (holder.find()) {
      holders.put(holder.group(2), Objects.requireNonNullElse(holder.group(1), id));
    }
    return holders;
  }
}
