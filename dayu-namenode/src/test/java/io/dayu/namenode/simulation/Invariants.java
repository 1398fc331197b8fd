/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

/**
 * What must hold in every sequence, after every step: its names, the classes that check it, and the first violation,
 * which ends the sequence. Not thread-safe.
 */
final class Invariants {
  /**
   * Once faults have stopped, every block that has a source gets as many replicas as it should have, in bounded time.
   */
  static final String REPLICATION_GOAL = "replication-goal";
  /**
   * The same of a block that has replicas on DataNodes in maintenance, dead or alive: it gets as many others as HDFS
   * wants beside those, and at least one.
   */
  static final String MAINTENANCE_GOAL = "maintenance-goal";
  /**
   * A block that lacks replicas is in a queue of the active NameNode, or each copy that is pending has someone who sees
   * to it.
   */
  static final String NO_BLOCK_FORGOTTEN = "no-block-forgotten";
  /**
   * No internal block of a group is made twice at once: Dayu begins none that is in service, unless the group is on too
   * few racks, and none that an agent may go on with, by its lease, without being registered. The exceptions are those
   * of {@link #LEASE_OVERLAP}.
   */
  static final String INDEX_MADE_ONCE = "index-made-once";
  /**
   * Dayu gives no DataNode a second internal block of a group: neither plans it, nor makes it there. One that the
   * DataNode is to delete counts, too.
   */
  static final String ONE_INDEX_ON_A_NODE = "one-index-on-a-node";
  /**
   * No DataNode is told to delete a good internal block that no other one has: only faults make a group lose any. One
   * that a storage had when it failed may have been the reason why another one was to be deleted; one that was made
   * since then, too, if the NameNode that ordered it had not heard of the failure.
   */
  static final String INDICES_KEPT = "indices-kept";
  /**
   * Dayu has a corrupt replica deleted to make room only after agents have read as many others of its generation as
   * that takes, and found them good, since it was decided to look at this block; and another good one is left.
   */
  static final String CORRUPT_MAKES_ROOM = "corrupt-makes-room";
  /**
   * Once faults have stopped, each group of which as many internal blocks can be read as a rebuild takes is whole in
   * bounded time, or has one on each DataNode in service.
   */
  static final String GROUPS_WHOLE = "groups-whole";
  /** Dayu plans no copy on a DataNode of which it was last told that its storages of the block's type have no room. */
  static final String ROOM_KEPT = "room-kept";
  /** What the NameNode of one namespace commands ends no transfer that another one has granted. */
  static final String POOLS_APART = "pools-apart";
  /** An agent runs no more transfers at once than its limit, whichever namespaces have granted them. */
  static final String TRANSFERS_AT_ONCE = "transfers-at-once";
  /** An agent that receives for two namespaces tells the NameNodes of each of no more than half of its bandwidth. */
  static final String BANDWIDTH_DIVIDED = "bandwidth-divided";
  /** An agent begins no transfer to a type of storage that the block's policy does not name, or that is not there. */
  static final String STORAGE_TYPE = "storage-type";
  /** In the end no copy is pending or scheduled on any NameNode, and Dayu has none registered. */
  static final String COUNTERS_ZERO = "counters-zero";
  /** In the end no DataNode that is up has a partial replica. */
  static final String NO_PARTIAL_STAYS = "no-partial-stays";
  /** No block has more targets at once than stock HDFS would use. */
  static final String TARGETS_AT_ONCE = "targets-at-once";
  /** What a node is granted, in each direction, is no more than its B_recover. */
  static final String NODE_BUDGET = "node-budget";
  /** For no longer than a lease is more granted to a node's transfers than its link carries: {@link GrantedRates}. */
  static final String NODE_LINK = "node-link";
  /**
   * While an agent may go on with a block that it does not hold, by its lease, that copy is registered wherever another
   * one is begun. Stock HDFS itself knows nothing of what was begun before a failover, so it is only held to what this
   * NameNode has begun; and so is Dayu where the DataNode has reached the other NameNode, and not this one, for longer
   * than a lease.
   */
  static final String LEASE_OVERLAP = "lease-overlap";
  /**
   * A NameNode that has become active begins no transfer while an agent may go on, by its lease, with one that was
   * granted before, unless it has obeyed the NameNode since. So what two NameNodes grant never adds up. The exception
   * is the same as for {@link #LEASE_OVERLAP}: a DataNode that this NameNode has not heard of for longer than a lease,
   * or had not until less than a lease ago.
   */
  static final String NOTHING_BEGUN_BEFORE_ADOPTION = "nothing-begun-before-adoption";
  /**
   * Once a NameNode that has become active has begun a transfer, no agent begins one that another NameNode grants which
   * became active before it and may still believe to be. The exception is that of {@link #LEASE_OVERLAP}.
   */
  static final String SUCCESSOR_ALONE = "successor-alone";
  /** An agent goes on with a transfer until its lease ends, and not after that. */
  static final String LEASE_KEPT = "lease-kept";
  /**
   * An agent obeys no commands that were issued before others that it has obeyed, and none of a NameNode that its
   * DataNode does not consider active.
   */
  static final String NO_STALE_COMMANDS = "no-stale-commands";
  /**
   * An agent that obeys commands goes on with no transfer that they do not name. It reports that it has obeyed them
   * when these are gone.
   */
  static final String UNNAMED_STOPS = "unnamed-stops";
  /** What Dayu has registered does not time out while its loop runs. */
  static final String REGISTRATION_KEPT_FRESH = "registration-kept-fresh";

  /**
   * Stock HDFS recovers, or Dayu does: stock is suspended only while the state says so, and not while the loop is
   * silent for long.
   */
  static final String SOMEBODY_RECOVERS = "somebody-recovers";

  /** While an admin has paused recovery, Dayu begins no transfer, on whichever NameNode. */
  static final String NOTHING_BEGUN_IN_A_PAUSE = "nothing-begun-in-a-pause";

  /** A sequence has violated an invariant. */
  static final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;
    final String invariant;

    Violation(String invariant, String message) {
      super(invariant + ": " + message, null, false, false);
      this.invariant = invariant;
    }
  }

  private final SimulatedCluster cluster;
  private final GrantedRates rates;
  final RegistrationInvariants registrations;
  final AgentInvariants agents;
  final RecoveryGoals goals;
  private Violation first;

  Invariants(SimulatedCluster cluster) {
    this.cluster = cluster;
    this.rates = new GrantedRates(cluster);
    this.registrations = new RegistrationInvariants(cluster, this);
    this.agents = new AgentInvariants(cluster, this, registrations);
    this.goals = new RecoveryGoals(cluster);
  }

  /** Only noted here, since production code may be calling, which catches what is thrown; {@link #check} throws it. */
  void violated(String invariant, String message) {
    if (first == null) {
      first = new Violation(invariant, "at " + cluster.events.elapsedMs() + " ms " + message);
    }
  }

  /** Throws what has been violated. */
  void check() {
    SimulatedNameNode active = cluster.active();
    if (active != null) {
      registrations.checkQueues(active);
      checkSuspension(active);
    }
    rates.check();
    if (first != null) {
      throw first;
    }
  }

  private void checkSuspension(SimulatedNameNode active) {
    String state = active.recovery.status().getState();
    boolean suspended = active.map.workMultiplier == 0;
    if (suspended && state.equals("STOCK")) {
      violated(SOMEBODY_RECOVERS, "stock is suspended in state STOCK: " + active);
    }
    if (suspended && active.loopHangs && active.silentMs() > 2 * SequenceSettings.WATCHDOG_MS) {
      violated(SOMEBODY_RECOVERS, "stock is suspended while the loop is silent for " + active.silentMs() + " ms: "
          + active);
    }
  }
}
