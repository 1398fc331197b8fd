/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.harness.Await;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.security.token.block.ExportedBlockKeys;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.NodeType;
import org.apache.hadoop.hdfs.server.common.StorageInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNodeLayoutVersion;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.NamesystemFixture;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo;
import org.apache.hadoop.hdfs.server.protocol.StorageReceivedDeletedBlocks;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.apache.hadoop.test.GenericTestUtils;
import org.apache.hadoop.util.VersionInfo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/**
 * A NameNode's block management after the loss of DataNodes: real descriptors, storages, files and blocks, of which
 * each lacks replicas, without any DataNode's process. The same seed gives the same blocks. Methods take the locks that
 * they need; the caller uses one thread.
 *
 * <p>Of a file of three replicas one is on one rack and two are on another, as HDFS places them; one of the three is
 * lost. One block in a hundred has lost two.
 */
public final class LostNodes {
  private static final long ROOM_BYTES = 1L << 46;
  private static final short REPLICATION = 3;
  public static final long GENERATION = 1001;
  private static final long FIRST_BLOCK = 1L << 30;
  private static final int FIRST_PORT = 10_000;
  /** How many NameNodes of this JVM have been configured. */
  private static final AtomicInteger NAME_NODES = new AtomicInteger();

  /** A replica on its way: a DataNode will report it. */
  public record Copy(long blockId, String targetUuid) {
  }

  private final FSNamesystem namesystem;
  private final BlockManager blocks;
  private final List<DatanodeDescriptor> nodes = new ArrayList<>();
  private final List<BlockInfo> lacking = new ArrayList<>();
  private final List<Copy> received = new ArrayList<>();
  private final int rackSize;
  private final Random random;
  private final long blockBytes;
  private final List<DatanodeRegistration> registrations = new ArrayList<>();
  private boolean onThisHost;

  /**
   * Settings of a NameNode that such nodes need: its RedundancyMonitor does nothing after a first round, and nodes that
   * send no heartbeats do not become stale, and so refused as targets, or dead. It has a directory of its own: a
   * cluster that is closed deletes its directory, and a NameNode without one goes into safe mode seconds later.
   */
  public static void configure(Configuration conf) {
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR,
        GenericTestUtils.getTestDir("name-node-" + NAME_NODES.incrementAndGet()).getPath());
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY, 100_000);
    // Twice this is an int.
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_HEARTBEAT_RECHECK_INTERVAL_KEY, Integer.MAX_VALUE / 4);
    conf.setLong(DFSConfigKeys.DFS_NAMENODE_STALE_DATANODE_INTERVAL_KEY, TimeUnit.DAYS.toMillis(1));
  }

  /**
   * Waits until the NameNode's RedundancyMonitor sleeps after a first round, which would take blocks that are added
   * here.
   *
   * @param rackSize how many nodes, one after the other, are on one rack
   */
  public LostNodes(FSNamesystem namesystem, int rackSize, long seed, long blockBytes) throws Exception {
    this.namesystem = namesystem;
    this.blocks = namesystem.getBlockManager();
    Await.until("HDFS's RedundancyMonitor sleeps", Duration.ofSeconds(60),
        () -> blocks.getRedundancyThread().getState() == Thread.State.TIMED_WAITING);
    awaitQueuesFilled();
    this.rackSize = rackSize;
    this.random = new Random(seed);
    this.blockBytes = blockBytes;
  }

  /**
   * Waits until the NameNode has filled its queues, which it does in a thread of its own after its start, and once more
   * when the first node of a second rack registers: blocks that are added meanwhile would be queued twice.
   */
  private static void awaitQueuesFilled() throws Exception {
    Await.until("HDFS's queues are filled", Duration.ofSeconds(60), () -> Thread.getAllStackTraces().keySet().stream()
        .noneMatch(thread -> thread.getName().equals("Reconstruction Queue Initializer")));
  }

  /** The address of a node; its rack is found by it. */
  public static String address(int node) {
    return "10." + (node >> 16) + "." + (node >> 8 & 255) + "." + (node & 255);
  }

  /**
   * Nodes added from now on have this host's address, each with ports of its own, so that calls in their name are let
   * in.
   */
  public void onThisHost() {
    onThisHost = true;
  }

  /** What a node's DataNode would send with its calls. */
  public DatanodeRegistration registration(int node) {
    return registrations.get(node);
  }

  /** Registers DataNodes, each with one storage of the type that {@code types} says. */
  public void addNodes(int count, IntFunction<StorageType> types) throws Exception {
    DatanodeManager datanodes = blocks.getDatanodeManager();
    for (int i = nodes.size(); i < count; i++) {
      DatanodeRegistration registration = newRegistration(i);
      register(registration);
      DatanodeDescriptor node = datanodes.getDatanode(uuid(i));
      DatanodeStorage storage = new DatanodeStorage("DS-" + i, DatanodeStorage.State.NORMAL, types.apply(i));
      StorageReport report = new StorageReport(storage, false, 2 * ROOM_BYTES, ROOM_BYTES, ROOM_BYTES, ROOM_BYTES, 0);
      datanodes.getHeartbeatManager().updateHeartbeat(node, new StorageReport[] {report}, 0, 0, 4, 0, null);
      nodes.add(node);
      registrations.add(registration);
    }
    awaitQueuesFilled();
  }

  /** All nodes have reported their blocks since the NameNode's start, so that Dayu does not wait for that. */
  public void reportBlocks() {
    for (DatanodeDescriptor node : nodes) {
      for (DatanodeStorageInfo storage : node.getStorageInfos()) {
        storage.receivedBlockReport();
      }
    }
  }

  private void register(DatanodeRegistration registration) throws IOException {
    namesystem.writeLock();
    try {
      blocks.getDatanodeManager().registerDatanode(registration);
    } finally {
      namesystem.writeUnlock("benchRegister");
    }
  }

  private DatanodeRegistration newRegistration(int node) {
    StorageInfo info = new StorageInfo(DataNodeLayoutVersion.getCurrentLayoutVersion(),
        namesystem.getFSImage().getStorage().getNamespaceID(), namesystem.getClusterId(),
        namesystem.getFSImage().getStorage().getCTime(), NodeType.DATA_NODE);
    String address = onThisHost ? "127.0.0.1" : address(node);
    int port = onThisHost ? FIRST_PORT + node : 9866;
    DatanodeID id = new DatanodeID(address, address, uuid(node), port, 9864, 9865, 9867);
    return new DatanodeRegistration(
        new DatanodeInfoBuilder().setNodeID(id).build(), info, new ExportedBlockKeys(), VersionInfo.getVersion());
  }

  /** Registers a DataNode that sends no heartbeat: a new one, or one of these once more. */
  public void register(int node) throws IOException {
    register(node < registrations.size() ? registrations.get(node) : newRegistration(node));
  }

  /** A heartbeat of a node with {@code usedPercent} of its space used by HDFS and {@code streams} data transfers. */
  public void heartbeat(int node, int usedPercent, int streams) {
    heartbeat(node, ROOM_BYTES - ROOM_BYTES / 100 * usedPercent, streams);
  }

  /** A heartbeat of a node with {@code roomBytes} of room. */
  public void heartbeat(int node, long roomBytes, int streams) {
    DatanodeDescriptor descriptor = nodes.get(node);
    DatanodeStorageInfo storage = descriptor.getStorageInfos()[0];
    long usedBytes = ROOM_BYTES - roomBytes;
    StorageReport report = new StorageReport(new DatanodeStorage(storage.getStorageID(), DatanodeStorage.State.NORMAL,
        storage.getStorageType()), false, ROOM_BYTES, usedBytes, roomBytes, usedBytes, 0);
    blocks.getDatanodeManager().getHeartbeatManager().updateHeartbeat(descriptor, new StorageReport[] {report}, 0, 0,
        streams, 0, null);
  }

  public static String uuid(int node) {
    return String.format("%08d-bench-node", node);
  }

  /** Adds blocks that lack one replica, one in a hundred two, and enters them in the queues. */
  public void addBlocks(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      boolean last = random.nextInt(100) == 0;
      boolean sameRack = random.nextInt(3) == 0;
      int first = random.nextInt(nodes.size());
      int second;
      do {
        second = sameRack ? first / rackSize * rackSize + random.nextInt(rackSize) : random.nextInt(nodes.size());
      } while (second == first || second >= nodes.size() || !sameRack && second / rackSize == first / rackSize);
      addBlock(last ? List.of(nodes.get(first)) : List.of(nodes.get(first), nodes.get(second)));
    }
    enterAll();
  }

  /**
   * Adds a block that has its three replicas on these nodes, and enters it in the queue of badly distributed ones.
   * Returns its id.
   */
  public long addBadlyDistributed(int first, int second, int third) throws IOException {
    return addBlockOn(first, second, third);
  }

  /** Adds a block that has replicas on these nodes only, and enters it in its queue. Returns its id. */
  public long addBlockOn(int... holders) throws IOException {
    addBlock(Arrays.stream(holders).mapToObj(nodes::get).toList());
    BlockInfo block = lacking.get(lacking.size() - 1);
    blocks.neededReconstruction.add(block, holders.length, 0, 0, REPLICATION);
    return block.getBlockId();
  }

  private void addBlock(List<DatanodeDescriptor> holders) throws IOException {
    BlockInfo block =
        new BlockInfoContiguous(new Block(FIRST_BLOCK + lacking.size(), blockBytes, GENERATION), REPLICATION);
    namesystem.writeLock();
    try {
      INodeFile file = NamesystemFixture.addFile(namesystem, block, REPLICATION);
      block.setBlockCollectionId(file.getId());
      blocks.addBlockCollection(block, file);
      for (DatanodeDescriptor holder : holders) {
        holder.getStorageInfos()[0].addBlock(block);
      }
    } finally {
      namesystem.writeUnlock("benchAddBlock");
    }
    lacking.add(block);
  }

  /** Brings every block back to how it was: in the queue, with nothing pending, and without new replicas. */
  public void enterAll() {
    namesystem.writeLock();
    try {
      blocks.neededReconstruction.clear();
      for (Copy copy : received) {
        blocks.blocksMap.removeNode(blocks.getStoredBlock(new Block(copy.blockId())),
            blocks.getDatanodeManager().getDatanode(copy.targetUuid()));
      }
      received.clear();
      for (BlockInfo block : lacking) {
        List<DatanodeStorageInfo> pending = blocks.pendingReconstruction.getTargets(block);
        if (pending != null) {
          DatanodeStorageInfo.decrementBlocksScheduled(pending.toArray(new DatanodeStorageInfo[0]));
        }
        int live = blocks.countNodes(block).liveReplicas();
        if (live < REPLICATION) {
          blocks.neededReconstruction.add(block, live, 0, 0, REPLICATION);
        }
      }
      blocks.pendingReconstruction.clear();
      nodes.forEach(DatanodeDescriptor::clearBlockQueues);
    } finally {
      namesystem.writeUnlock("benchEnterAll");
    }
  }

  public long waiting() {
    return blocks.neededReconstruction.getLowRedundancyBlockCount();
  }

  /** One round of stock's: the blocks that it takes from the queues, and as many as it can place scheduled. */
  public int stockRound(int max) {
    List<List<BlockInfo>> chosen;
    namesystem.writeLock();
    try {
      chosen = blocks.neededReconstruction.chooseLowRedundancyBlocks(max);
    } finally {
      namesystem.writeUnlock("computeDatanodeWork");
    }
    return blocks.computeReconstructionWorkForBlocks(chosen);
  }

  /** The copies that stock has queued for the DataNodes' next heartbeats, which have them now. */
  public List<Copy> takeQueued() {
    List<Copy> copies = new ArrayList<>();
    for (DatanodeDescriptor node : nodes) {
      List<DatanodeDescriptor.BlockTargetPair> queued = node.getReplicationCommand(Integer.MAX_VALUE);
      if (queued != null) {
        for (DatanodeDescriptor.BlockTargetPair pair : queued) {
          for (DatanodeStorageInfo target : pair.targets) {
            copies.add(new Copy(pair.block.getBlockId(), target.getDatanodeDescriptor().getDatanodeUuid()));
          }
        }
      }
    }
    return copies;
  }

  /** A DataNode reports that it has received a block, as the NameNode processes it. */
  public void receive(Copy copy) throws IOException {
    namesystem.writeLock();
    try {
      DatanodeDescriptor node = blocks.getDatanodeManager().getDatanode(copy.targetUuid());
      Block block = new Block(copy.blockId(), blockBytes, GENERATION);
      ReceivedDeletedBlockInfo[] reports = {
          new ReceivedDeletedBlockInfo(block, ReceivedDeletedBlockInfo.BlockStatus.RECEIVED_BLOCK, null)};
      blocks.processIncrementalBlockReport(node, new StorageReceivedDeletedBlocks(
          new DatanodeStorage(node.getStorageInfos()[0].getStorageID()), reports));
      received.add(copy);
    } finally {
      namesystem.writeUnlock("blockReceivedAndDeleted");
    }
  }

  /** As a client's call that reads: looks up some files and where their blocks are. */
  public int read(Random choice) {
    int found = 0;
    for (int i = 0; i < 8; i++) {
      BlockInfo block = lacking.get(choice.nextInt(lacking.size()));
      found +=
          blocks.countNodes(block).liveReplicas() + blocks.getBlockCollection(block).getPreferredBlockReplication();
    }
    return found;
  }
}
