/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * One fault, or one thing that a client or an admin does. Immutable.
 *
 * @param atMs when, since the beginning
 * @param kind what
 * @param a picks the node or the block it is about, among those that it can be about then
 * @param b what the kind makes of it
 * @param durationMs how long it lasts; 0 = for good
 */
record FaultStep(long atMs, Kind kind, int a, int b, long durationMs) {
  /** What may happen. */
  enum Kind {
    /** A DataNode dies, and comes back with what was on its disks. */
    KILL_DATANODE,
    /** A DataNode is restarted within a second. */
    RESTART_DATANODE,
    /** A DataNode reaches no NameNode, or only one of them. */
    PARTITION_FROM_NAMENODES,
    /** A DataNode reaches no other DataNode. */
    PARTITION_FROM_PEERS,
    /** A DataNode stands still, its agent with it, and then goes on. */
    HANG_DATANODE,
    /** A DataNode's disks write nothing; its agent reports on. */
    HANG_DISK,
    /** A DataNode serves no reads. */
    SOURCE_FAILS,
    /** A DataNode keeps its connections to readers and sends nothing on them. */
    SOURCE_SENDS_NOTHING,
    /**
     * An agent's connection to a NameNode hangs, or those to both, while heartbeats get through: what was sent on it,
     * in either direction, arrives when it goes on.
     */
    HANG_CONNECTION,
    /** A DataNode can create no replicas. */
    TARGET_FAILS,
    /** A DataNode's disks are full: replicas can be created, but not be written to. */
    DISKS_FULL,
    /** Something else than HDFS takes the room on a DataNode's disks, as its next heartbeat says. */
    FILL_DISKS,
    /** All storages of one type of a DataNode fail with what is on them, until there are new ones. */
    FAIL_STORAGE,
    /** An agent lies ({@link Lie}), and claims more bandwidth than there is. */
    AGENT_LIES,
    /** A DataNode forgets a NameNode and finds it again, as when an admin has it read its NameNodes anew. */
    RECONNECT_AGENT,
    /** The agents of most DataNodes are gone: too few for Dayu. */
    AGENTS_DOWN,
    /** A client deletes a block or a group. */
    DELETE_BLOCK,
    APPEND_BLOCK,
    TRUNCATE_BLOCK,
    SET_REPLICATION,
    DECOMMISSION,
    /** A replica of a block becomes corrupt, but not the last good one: its DataNode finds it, or who reads it next. */
    CORRUPT_REPLICA,
    /** An internal block of a group becomes corrupt: its DataNode finds it, or who reads it next. */
    CORRUPT_INTERNAL_BLOCK,
    /** A DataNode goes into maintenance, as soon as each of its blocks is on another one, and comes back. */
    MAINTENANCE,
    /**
     * A DataNode dies that is in maintenance, or one that is dead goes into maintenance. It comes back before that ends
     * or later, or stays away.
     */
    MAINTENANCE_OF_DEAD,
    /** The standby NameNode becomes active; the active one standby. */
    FAIL_OVER,
    /**
     * The standby NameNode becomes active while the active one does not hear of it and goes on, until it is standby, or
     * ends itself since it cannot write to the journal.
     */
    TWO_ACTIVE,
    /** The active NameNode dies, the other one becomes active, the dead one comes back as standby. */
    CRASH_NAMENODE,
    /** The recovery loop stands still; the watchdog does not. */
    HANG_LOOP,
    /**
     * A whole NameNode stands still: RPC, loop and watchdog. If it is the active one, the other may become active
     * meanwhile. Then it goes on, and answers what has arrived in between.
     */
    HANG_NAMENODE,
    /** Every call of the loop into the block manager fails. */
    BLOCK_MANAGER_FAILS,
    SAFE_MODE,
    /** An admin pauses recovery on all NameNodes, and resumes it. */
    PAUSE,
    /** Messages between agents and NameNodes are lost, late, duplicated and overtake each other. */
    BAD_NETWORK
  }

  /** What is hard to get right, above all together, and so is drawn more often. */
  private static final Kind[] FREQUENT = {Kind.FAIL_OVER, Kind.BAD_NETWORK, Kind.RESTART_DATANODE, Kind.KILL_DATANODE,
      Kind.RECONNECT_AGENT};

  static List<FaultStep> draw(SequenceSettings settings, Random random) {
    List<FaultStep> steps = new ArrayList<>();
    // Something to recover from.
    steps.add(new FaultStep(2_000 + random.nextInt(3_000), Kind.KILL_DATANODE, random.nextInt(1_000),
        random.nextInt(1_000),
        random.nextBoolean() ? 0 : settings.deadMs() + random.nextInt(30_000)));
    int count = 3 + random.nextInt(18);
    for (int i = 0; i < count; i++) {
      long atMs = 3_000 + random.nextInt((int) settings.faultsMs() - 3_000);
      Kind[] kinds = i % 3 == 0 ? FREQUENT : Kind.values();
      Kind kind = kinds[random.nextInt(kinds.length)];
      long durationMs = switch (kind) {
        case KILL_DATANODE, DECOMMISSION, MAINTENANCE_OF_DEAD ->
            random.nextInt(3) == 0 ? 0 : random.nextInt((int) (2 * settings.deadMs()));
        // Longer than a connection may send nothing.
        case SOURCE_SENDS_NOTHING -> 200 + random.nextInt(90_000);
        default -> 200 + random.nextInt(random.nextBoolean() ? 3_000 : 30_000);
      };
      steps.add(new FaultStep(atMs, kind, random.nextInt(1_000), random.nextInt(1_000), durationMs));
    }
    steps.sort(Comparator.comparingLong(FaultStep::atMs));
    return steps;
  }
}
