/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A block or an erasure-coded group of a closed file, as {@code fsck -files -blocks -locations} lists it. Immutable.
 *
 * @param id as in {@code blk_1073741825}
 * @param live replicas that count, or internal blocks
 * @param wanted as many as there should be
 * @param sources how many of them it takes to make another
 * @param addresses of the DataNodes that have a replica or an internal block
 */
record FsckBlock(String id, int live, int wanted, int sources, Set<String> addresses) {
  private static final Pattern REPLICATED_FILE = Pattern.compile(" bytes, replicated: replication=(\\d+), ");
  private static final Pattern CODED_FILE = Pattern.compile(" bytes, erasure-coded: policy=([^,]+), ");
  private static final Pattern BLOCK = Pattern.compile(":(blk_-?\\d+)_\\d+ len=(\\d+) Live_repl=(\\d+)(.*)");
  private static final Pattern ADDRESS = Pattern.compile("DatanodeInfoWithStorage\\[([\\d.]+):");

  FsckBlock {
    addresses = Set.copyOf(addresses);
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
        int sources = policy == null ? 1 : dataBlocks(policy, Long.parseLong(block.group(2)));
        int wanted = policy == null ? replication : sources + policy.getNumParityUnits();
        blocks.add(new FsckBlock(block.group(1), live, wanted, sources, addresses(block.group(4))));
      }
    }
    return blocks;
  }

  /** How many data blocks a group of that length has. */
  private static int dataBlocks(ErasureCodingPolicy policy, long lengthBytes) {
    long cells = (lengthBytes + policy.getCellSize() - 1) / policy.getCellSize();
    return (int) Math.min(policy.getNumDataUnits(), cells);
  }

  boolean isWhole() {
    return live >= wanted;
  }

  boolean isGroup() {
    return id.contains("-");
  }

  private static Set<String> addresses(String locations) {
    Set<String> addresses = new TreeSet<>();
    Matcher address = ADDRESS.matcher(locations);
    while (address.find()) {
      addresses.add(address.group(1));
    }
    return addresses;
  }
}
