/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.DataGroups;
import io.dayu.hosts.client.Topology;
import io.dayu.programs.options.BadOptionException;
import io.dayu.programs.options.OptionReader;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;

import java.util.Locale;
import java.util.Optional;

/**
 * Which part of the data set is erasure-coded, and how, as {@code hosts.ec} and {@code hosts.ec.share} say. Immutable.
 *
 * @param policy one that HDFS has from the start
 * @param share which part of the lost bytes, about, is of groups
 */
record ErasureCoding(ErasureCodingPolicy policy, double share) {
  /** Clients read no groups: each DataNode has the first replicas of this many files of one block for them. */
  private static final int READ_FILES = 2;
  /** With more of them most groups have one possible target, since they must stay in as many racks. */
  static final int DEFAULT_RACKS = 2;
  private static final int MIN_NODES = 10;
  /** DataNodes beyond a group's internal blocks, so that there is a choice of targets. */
  private static final int SPARE_NODES = 3;

  /** Empty where nothing is erasure-coded. */
  static Optional<ErasureCoding> read(OptionReader reader) throws BadOptionException {
    String text = reader.text("hosts.ec", "");
    if (text.isEmpty()) {
      if (!reader.text("hosts.ec.share", "").isEmpty()) {
        throw new BadOptionException("hosts.ec.share", reader.text("hosts.ec.share", ""), "hosts.ec beside it");
      }
      return Optional.empty();
    }
    String name = text.toLowerCase(Locale.ROOT);
    for (ErasureCodingPolicy policy : SystemErasureCodingPolicies.getPolicies()) {
      String full = policy.getName().toLowerCase(Locale.ROOT);
      if (name.equals(full) || name.equals(shortName(policy))) {
        return Optional.of(new ErasureCoding(policy, reader.fraction("hosts.ec.share", "1", 1)));
      }
    }
    throw new BadOptionException("hosts.ec", text, "one of "
        + String.join(", ", SystemErasureCodingPolicies.getPolicies().stream().map(ErasureCoding::shortName).toList())
        + ", or its name in HDFS");
  }

  /** Without the size of the cells, as Dayu's simulator has it. */
  private static String shortName(ErasureCodingPolicy policy) {
    String name = policy.getName().toLowerCase(Locale.ROOT);
    return name.substring(0, name.lastIndexOf('-'));
  }

  String policyName() {
    return policy.getName();
  }

  int units() {
    return policy.getNumDataUnits() + policy.getNumParityUnits();
  }

  int parityUnits() {
    return policy.getNumParityUnits();
  }

  int defaultNodes() {
    return Math.max(MIN_NODES, units() + SPARE_NODES);
  }

  /** @param lostNodes DataNodes that are lost, or away, at a time */
  void check(Topology topology, int lostNodes, long blockBytes) throws BadOptionException {
    if (topology.maxUnits(units(), lostNodes) < units()) {
      throw new BadOptionException("hosts.nodes", Integer.toString(topology.nodes()), "enough for " + units()
          + " internal blocks of a group, at most " + topology.maxInRack(units()) + " of them in a rack, after "
          + lostNodes + " DataNodes are lost");
    }
    if (blockBytes % policy.getCellSize() != 0) {
      throw new BadOptionException("hosts.block", Long.toString(blockBytes),
          "a multiple of " + policy.getCellSize() + ", the size of a cell, beside hosts.ec");
    }
  }

  /** @param dataBytes what a DataNode holds, about */
  DataGroups groups(long dataBytes, Topology topology, long blockBytes) {
    return new DataGroups(policyName(), policy.getNumDataUnits(), policy.getNumParityUnits(),
        (int) Math.max(1, Math.round(share * dataBytes * topology.nodes() / (units() * blockBytes))));
  }

  /** How many replicated files there are beside the groups. */
  int files(long dataBytes, Topology topology, long blockBytes) {
    return (int) Math.max(READ_FILES * topology.nodes(),
        Math.round((1 - share) * dataBytes * topology.nodes() / (Topology.REPLICATION * blockBytes)));
  }
}
