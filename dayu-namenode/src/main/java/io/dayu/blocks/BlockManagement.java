/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * What the recovery loop needs of the NameNode's block management: the switch of the stock policy, the low-redundancy
 * queues, and the registrations of pending copies. In production an adapter to HDFS's BlockManager; in the fault
 * sequences a model of it.
 *
 * <p>Thread-safe. An implementation takes the namesystem lock itself where it needs it, in holds that are bounded in
 * time. No method reads a clock for a decision of Dayu.
 */
public interface BlockManagement {
  /** Whether this NameNode is the one that keeps the low-redundancy queues: active, its queues filled. */
  boolean keepsQueues();

  /** Whether Dayu must begin nothing now; queues and registrations stay as they are meanwhile. */
  boolean inSafeMode();

  /** How many blocks per live DataNode the stock policy schedules in a round; 0 = suspended. */
  int stockMultiplier();

  /** Sets what {@link #stockMultiplier()} says. */
  void setStockMultiplier(int multiplier);

  /**
   * Whether groups (erasure-coded blocks) are recovered by Dayu; else each is left to stock ({@link
   * WaitingBlock#isForStock}).
   */
  boolean recoversGroups();

  /** Sets what {@link #recoversGroups()} says, any time. Transfers that are under way go on. */
  void setRecoversGroups(boolean byDayu);

  /** After how long HDFS gives up a pending copy, in milliseconds; an admin may change it any time. */
  long pendingTimeoutMs();

  /** Whether another NameNode may have been active before this one. */
  boolean hasStandby();

  /** When this NameNode last became active or standby, in milliseconds since the epoch; 0 = never since its start. */
  long lastTransitionMs();

  /**
   * {@link #lastTransitionMs} once a transition that is under way is over: HDFS already keeps its queues when it notes
   * the time of the transition. Waits for the namesystem lock, which HDFS holds meanwhile.
   */
  long lastCompletedTransitionMs();

  String blockPoolId();

  /**
   * How long the methods below have held the namesystem lock; what stock does in {@link #scheduleByStock} is not in it.
   */
  LockHolds lockHolds();

  /** Blocks in the low-redundancy queues, those without any source excepted. */
  long waitingBlocks();

  /** The address that the NameNode knows the DataNode by, or null if it knows none by this UUID. */
  String addressOf(String datanodeUuid);

  /** The DataNode, alive or dead, as HDFS's own commands name it; the UUID itself if the NameNode knows none by it. */
  String nameOf(String datanodeUuid);

  /**
   * The UUID as the NameNode itself has it, in the object that {@link LiveNode} and blocks name it by, so that strings
   * are the same at a glance; null if it knows no DataNode by this UUID.
   */
  String ownUuid(String datanodeUuid);

  /** Whether it is known what storages the DataNode has. Not before its first heartbeat to this NameNode. */
  boolean knowsStorages(String datanodeUuid);

  /** How long the DataNode has sent no heartbeat, in milliseconds; 0 if the NameNode knows none by this UUID. */
  long silentMs(String datanodeUuid);

  /** Whether HDFS has declared the DataNode dead, or knows none by this UUID. */
  boolean isDead(String datanodeUuid);

  /** How many DataNodes are live; asked often. */
  int liveNodeCount();

  /** How many live DataNodes have not reported the blocks of each of their storages since they registered. */
  int nodesWithoutBlockReport();

  /** Whether the NameNode knows of any block. */
  boolean hasBlocks();

  /** The live DataNodes. */
  List<LiveNode> liveNodes();

  /** Whether copies go to nodes that are nearly full, or have just arrived there: their room changes with each plan. */
  boolean isRoomChanging();

  /** Reads the head of the queue of highest risk, at most {@code limit} blocks. */
  List<WaitingBlock> readHighestRisk(int limit);

  /**
   * Reads on from where the last call stopped; begins again at the top when the end was reached.
   *
   * @param read receives the blocks
   * @return whether the end of the queues was reached
   */
  boolean readNext(List<WaitingBlock> read);

  /**
   * Reads these blocks, as far as they are in the queues. A storage policy's fallback takes the place of a type of
   * storage already if no node that may get this block has room there; the other methods look at the room of all nodes
   * in service.
   */
  List<WaitingBlock> readAgain(List<BlockKey> keys);

  /**
   * Checks each planned copy against the block map as it is now and registers it as pending.
   *
   * @param requests the copies, highest risk first
   * @param allowed asked under the lock before each registration; once false, nothing more is registered
   * @return one result a request, in order
   */
  List<CommitResult> commit(List<TransferRequest> requests, BooleanSupplier allowed);

  /**
   * Registers copies and rebuilds that agents are already making, after a restart or failover: as {@link #commit},
   * without choosing anew. A transfer of an internal block needs {@link TransferRequest#group}, or it is rejected.
   */
  List<CommitResult> adopt(List<TransferRequest> requests);

  /**
   * Refreshes the registrations of copies under way, as far as HDFS still has them. It takes no namesystem lock.
   * Whether a copy that is registered is still wanted, and from where it can be read, only {@link #check} tells.
   *
   * @return the indices of those that are registered; never of a group's
   */
  BitSet refresh(List<TransferRequest> running);

  /** How each copy under way stands; refreshes the registrations of those that are still wanted. */
  List<PendingCheck> check(List<TransferRequest> running);

  /**
   * Ends the registrations of copies that are complete or will never be completed. What HDFS has ended itself (a
   * block report, a deletion) is left alone; blocks that still lack replicas go back into the queue.
   */
  void unregister(List<TransferRequest> ended);

  /** The corrupt replica that alone keeps a block from being copied, since its DataNode could take a copy; or null. */
  CorruptReplica corruptReplica(BlockKey block);

  /**
   * Has HDFS delete a corrupt replica, if all is still as {@link #corruptReplica} said.
   *
   * @param good UUIDs of the DataNodes whose replicas were read just now and are good
   * @return whether it is deleted; the DataNode does so after its next heartbeats
   */
  boolean removeCorruptReplica(CorruptReplica replica, Set<String> good);

  /**
   * Counts a copy that made no replica in the metric TimeoutReReplications. HDFS counts its own failed copies there,
   * since it notices them by their timeouts.
   */
  void countTimedOut();

  /**
   * Lets stock HDFS schedule exactly these blocks, now, by its own rules; keep the list short. Returns how many it
   * scheduled.
   */
  int scheduleByStock(List<WaitingBlock> handed);

  /** The erasure-coded blocks among those handed to stock HDFS that it still reconstructs. */
  List<StockReconstruction> stockReconstructions();
}
