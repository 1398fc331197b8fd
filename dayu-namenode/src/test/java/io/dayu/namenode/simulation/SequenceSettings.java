/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.GroupPolicy;
import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import org.apache.hadoop.conf.Configuration;

import java.util.Random;

/**
 * The cluster of one sequence, drawn from its seed; times are as HDFS's defaults relate to each other, but shorter.
 * Immutable.
 *
 * @param nodes DataNodes
 * @param racks racks
 * @param inRows whether neighbours are on one rack, so that one may be without agents
 * @param blocks blocks at first
 * @param withoutAgent how many of the DataNodes have no agent
 * @param leaseMs {@code dayu.transfer.lease}
 * @param faultsMs how long faults go on
 * @param algorithm {@code dayu.scheduler.algorithm}
 * @param groups erasure-coded groups at first; {@code dayu.recovery.erasure-coding} has Dayu recover them
 * @param policy of the groups
 * @param tight whether DataNodes have little room beside what they hold at first
 * @param cold whether some blocks belong on archive storage, which some DataNodes do not have
 * @param federated whether the NameNode of another namespace uses the same DataNodes
 */
record SequenceSettings(int nodes, int racks, boolean inRows, int blocks, int withoutAgent, long leaseMs, long faultsMs,
    String algorithm, int groups, GroupPolicy policy, boolean tight, boolean cold, boolean federated) {
  static final int STOCK_MULTIPLIER = 2;
  static final long WATCHDOG_MS = 3_000;
  static final long TIMESLOT_MS = 1_000;

  /** Of eight sequences four have no groups, three have groups of RS-3-2, and one has some of RS-6-3. */
  private static final int WITHOUT_GROUPS_OF_8 = 4;
  private static final int NARROW_GROUPS_OF_8 = 3;

  /** One namespace on disks, with room for whatever comes. */
  SequenceSettings(int nodes, int racks, boolean inRows, int blocks, int withoutAgent, long leaseMs, long faultsMs,
      String algorithm, int groups, GroupPolicy policy) {
    this(nodes, racks, inRows, blocks, withoutAgent, leaseMs, faultsMs, algorithm, groups, policy, false, false, false);
  }

  /** Without groups. */
  SequenceSettings(int nodes, int racks, boolean inRows, int blocks, int withoutAgent, long leaseMs, long faultsMs,
      String algorithm) {
    this(nodes, racks, inRows, blocks, withoutAgent, leaseMs, faultsMs, algorithm, 0, ModelGroup.RS_3_2);
  }

  static SequenceSettings draw(Random random) {
    int kind = random.nextInt(8);
    boolean hasGroups = kind >= WITHOUT_GROUPS_OF_8;
    GroupPolicy policy = kind < WITHOUT_GROUPS_OF_8 + NARROW_GROUPS_OF_8 ? ModelGroup.RS_3_2 : ModelGroup.RS_6_3;
    int nodes = hasGroups ? policy.dataUnits() + policy.parityUnits() + 1 + random.nextInt(5) : 5 + random.nextInt(6);
    long leaseMs = 4_000L << random.nextInt(3);
    return new SequenceSettings(nodes, 1 + random.nextInt(3), random.nextBoolean(),
        hasGroups ? 2 + random.nextInt(10) : 5 + random.nextInt(30),
        random.nextBoolean() ? random.nextInt((nodes + 1) / 2) : 0,
        leaseMs, 40_000 + random.nextInt(80_000), random.nextInt(4) == 0 ? "paper" : "dayu",
        hasGroups ? 2 + random.nextInt(7) : 0, policy, !hasGroups && random.nextInt(3) == 0,
        !hasGroups && random.nextInt(3) == 0, random.nextInt(4) == 0);
  }

  /** After which silence a DataNode gets no new replicas. */
  long staleMs() {
    return 5_000;
  }

  /** After which silence a DataNode counts as dead; longer than a lease. */
  long deadMs() {
    return 2 * leaseMs + 10_000;
  }

  /** After which HDFS gives up a pending copy; longer than three leases. */
  long pendingTimeoutMs() {
    return 3 * leaseMs + 10_000;
  }

  /** What the production classes are set up with. */
  Settings production() {
    Configuration conf = new Configuration(false);
    conf.set(Setting.TIMESLOT_INTERVAL.key(), TIMESLOT_MS + "ms");
    conf.set(Setting.TIMESLOT_HORIZON.key(), "3s");
    conf.set(Setting.TIMESLOT_MIN_INTERVAL.key(), "500ms");
    conf.set(Setting.TIMESLOT_LEAD.key(), "300ms");
    conf.set(Setting.LEASE.key(), leaseMs + "ms");
    conf.set(Setting.WATCHDOG_TIMEOUT.key(), WATCHDOG_MS + "ms");
    conf.set(Setting.ALGORITHM.key(), algorithm);
    conf.set(Setting.ERASURE_CODING.key(), "dayu");
    try {
      return Settings.read(conf);
    } catch (BadSettingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
