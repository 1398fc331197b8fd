/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.GroupProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.io.erasurecode.ECSchema;

import java.io.Closeable;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A cluster with erasure-coded groups, whose NameNode neither rebuilds nor deletes anything. For tests. */
final class MiniGroupCluster implements Closeable {
  static final int CELL = 1 << 20;
  static final int SMALL_CELL = 64 << 10;
  static final Duration LIMIT = Duration.ofSeconds(60);
  static final long FAST = 1L << 30;
  private static final AtomicLong ATTEMPTS = new AtomicLong(1);

  final MiniDFSCluster hdfs;
  final DistributedFileSystem fs;
  private final Random random;
  private final Map<DataNode, TransferService> services = new HashMap<>();

  /** A file of one group, and who holds which index. */
  record Group(Path path, ExtendedBlock block, ErasureCodingPolicy policy, long bytes, Map<Integer, DataNode> holders) {
    int dataBlocks() {
      return (int) Math.min(policy.getNumDataUnits(), (bytes - 1) / policy.getCellSize() + 1);
    }

    ExtendedBlock internalBlock(int index) {
      return StripedBlockUtil.constructInternalBlock(block, policy, index);
    }
  }

  /** With block tokens, and rebuilds that check what they have decoded. */
  static MiniGroupCluster withTokensAndValidation(int nodes, long seed) throws Exception {
    return new MiniGroupCluster(nodes, seed, conf -> {
      conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
      conf.setBoolean(DFSConfigKeys.DFS_DN_EC_RECONSTRUCTION_VALIDATION_KEY, true);
      conf.set(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, "1s");
    });
  }

  MiniGroupCluster(int nodes, long seed, Consumer<Configuration> settings) throws Exception {
    random = new Random(seed);
    Configuration conf = new HdfsConfiguration();
    conf.setInt(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY, 3_600);
    conf.setBoolean(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_CONSIDERLOAD_KEY, false);
    conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, 16L * CELL);
    conf.set(HdfsClientConfigKeys.DFS_CLIENT_CONTEXT, "group-cluster");
    conf.setInt(HdfsClientConfigKeys.DFS_CLIENT_SOCKET_CACHE_EXPIRY_MSEC_KEY, 100);
    settings.accept(conf);
    hdfs = new MiniDFSCluster.Builder(conf).numDataNodes(nodes).build();
    hdfs.waitActive();
    fs = hdfs.getFileSystem();
  }

  /** A policy with cells of 64 KiB, so that groups of several stripes are small. */
  String smallCells(String codec, int dataUnits, int parityUnits) throws Exception {
    ErasureCodingPolicy policy =
        new ErasureCodingPolicy(new ECSchema(codec, dataUnits, parityUnits), SMALL_CELL);
    return fs.addErasureCodingPolicies(new ErasureCodingPolicy[] {policy})[0].getPolicy().getName();
  }

  /** Writes a file of one group, and waits until all its internal blocks are known. */
  Group write(String policyName, int bytes) throws Exception {
    fs.enableErasureCodingPolicy(policyName);
    Path directory = new Path("/" + policyName);
    fs.mkdirs(directory);
    fs.setErasureCodingPolicy(directory, policyName);
    Path path = new Path(directory, "f" + bytes + "-" + random.nextInt(Integer.MAX_VALUE));
    byte[] content = new byte[bytes];
    random.nextBytes(content);
    try (FSDataOutputStream out = fs.create(path)) {
      out.write(content);
    }
    ErasureCodingPolicy policy = fs.getErasureCodingPolicy(path);
    Group group = new Group(path, located(path).getBlock(), policy, bytes, new TreeMap<>());
    Poll.until("all internal blocks are known", LIMIT, () -> {
      LocatedStripedBlock located = located(path);
      for (int i = 0; i < located.getLocations().length; i++) {
        String uuid = located.getLocations()[i].getDatanodeUuid();
        group.holders().put((int) located.getBlockIndices()[i], hdfs.getDataNodes().stream()
            .filter(node -> node.getDatanodeUuid().equals(uuid)).findFirst().orElseThrow());
      }
      return group.holders().size() == group.dataBlocks() + policy.getNumParityUnits();
    }, group::holders);
    return group;
  }

  private LocatedStripedBlock located(Path path) throws Exception {
    return (LocatedStripedBlock) fs.getClient().getLocatedBlocks(path.toString(), 0).get(0);
  }

  /** The DataNodes whose internal blocks are known to be corrupt. */
  Collection<?> corruptHolders(Group group) {
    Collection<?> holders =
        hdfs.getNamesystem().getBlockManager().getCorruptReplicas(group.block().getLocalBlock());
    return holders == null ? List.of() : List.copyOf(holders);
  }

  /** A DataNode without any index of the group. */
  DataNode free(Group group) {
    return hdfs.getDataNodes().stream().filter(node -> !group.holders().containsValue(node)).findFirst().orElseThrow();
  }

  /** The holders of all other indices than the lost one, in an order drawn at random. */
  Map<Integer, DataNode> shuffled(Group group, int lost) {
    return shuffled(group, lost, random);
  }

  static Map<Integer, DataNode> shuffled(Group group, int lost, Random random) {
    List<Integer> order = new ArrayList<>(group.holders().keySet());
    order.remove((Integer) lost);
    Collections.shuffle(order, random);
    Map<Integer, DataNode> shuffled = new LinkedHashMap<>();
    order.forEach(index -> shuffled.put(index, group.holders().get(index)));
    return shuffled;
  }

  static SourceProto source(int index, DataNode node) {
    return PullCluster.source(node).toBuilder().setIndex(index).build();
  }

  static List<SourceProto> sources(Map<Integer, DataNode> holders) {
    return holders.entrySet().stream().map(holder -> source(holder.getKey(), holder.getValue())).toList();
  }

  /** A grant of a new attempt: from the first of these sources; the others are alternates. */
  static GrantProto grant(Group group, int lost, List<SourceProto> sources, long rateBytesPerSec) {
    ExtendedBlock block = group.internalBlock(lost);
    GrantProto.Builder grant = GrantProto.newBuilder().setAttempt(ATTEMPTS.getAndIncrement())
        .setBlock(BlockSpecProto.newBuilder().setBlockId(block.getBlockId()).setNumBytes(block.getNumBytes())
            .setGenerationStamp(block.getGenerationStamp()))
        .setSource(sources.get(0)).setStorageType("DISK").setRateBytesPerSec(rateBytesPerSec).setLeaseMs(600_000)
        .setGroup(GroupProto.newBuilder().setNumBytes(group.bytes()).setCodec(group.policy().getCodecName())
            .setDataUnits(group.policy().getNumDataUnits()).setParityUnits(group.policy().getNumParityUnits())
            .setCellBytes(group.policy().getCellSize()));
    return from(grant.build(), group, sources);
  }

  /** The same attempt with other sources. */
  static GrantProto from(GrantProto grant, Group group, List<SourceProto> sources) {
    int k = group.dataBlocks();
    return grant.toBuilder().setSource(sources.get(0)).clearFurtherSources()
        .addAllFurtherSources(sources.subList(1, k)).clearAlternates()
        .addAllAlternates(sources.subList(k, sources.size())).build();
  }

  static GrantProto withCodec(GrantProto grant, String codec) {
    return grant.toBuilder().setGroup(grant.getGroup().toBuilder().setCodec(codec)).build();
  }

  TransferService service(DataNode node) throws ReflectiveOperationException {
    return service(node, PullCluster.shaper(), PullCluster.REBUILD_BYTES);
  }

  /** The service of this DataNode; a first call makes it. */
  TransferService service(DataNode node, NodeShaper shaper, long rebuildBytes) throws ReflectiveOperationException {
    TransferService service = services.get(node);
    if (service == null) {
      service =
          new TransferService(new DataNodeAccess(node), () -> 16, shaper, VolumeShapers.none(), rebuildBytes, () -> {})
              .start();
      services.put(node, service);
    }
    return service;
  }

  String pool() {
    return hdfs.getNamesystem().getBlockPoolId();
  }

  void apply(TransferService service, GrantProto... grants) {
    service.granted().apply(pool(), List.of(grants), System.nanoTime());
  }

  /** The only transfer under way. */
  RunningTransferProto running(TransferService service) {
    return service.granted().status(pool()).running().get(0);
  }

  FinishedTransferProto end(TransferService service, GrantProto grant) throws Exception {
    Poll.until("attempt " + grant.getAttempt() + " has ended", LIMIT, () -> ended(service, grant) != null,
        () -> service.granted().status(pool()));
    return ended(service, grant);
  }

  FinishedTransferProto ended(TransferService service, GrantProto grant) {
    return service.granted().status(pool()).finished().stream()
        .filter(end -> end.getAttempt() == grant.getAttempt()).findFirst().orElse(null);
  }

  /** Waits until the index has been rebuilt, compares it with the lost one, and removes it. */
  void assertRebuilt(TransferService service, DataNode target, Group group, int lost, GrantProto grant)
      throws Exception {
    FinishedTransferProto end = end(service, grant);
    assertEquals(Outcome.DONE, end.getOutcome(), end::getMessage);
    service.granted().acknowledge(pool(), List.of(grant.getAttempt()));
    ExtendedBlock block = group.internalBlock(lost);
    PullCluster.assertSameFiles(block, group.holders().get(lost), target);
    remove(target, block);
  }

  /** Removes a replica, and has the DataNode forget that there was one. */
  static void remove(DataNode node, ExtendedBlock block) throws Exception {
    delete(node, block);
    Method forget = node.getFSDataset().getClass().getMethod("removeDeletedBlocks", String.class, Set.class);
    forget.setAccessible(true);
    forget.invoke(node.getFSDataset(), block.getBlockPoolId(), Set.of(block.getBlockId()));
  }

  /** Deletes a replica, which the DataNode does on another thread. */
  static void delete(DataNode node, ExtendedBlock block) throws Exception {
    node.getFSDataset().invalidate(block.getBlockPoolId(), new Block[] {block.getLocalBlock()});
    Poll.until("the replica is removed", LIMIT, () -> !node.getFSDataset().contains(block), () -> block);
  }

  /** Ends all transfers; then nothing of them may be left. */
  void assertNothingLeaks() throws Exception {
    services.values().forEach(TransferService::close);
    services.clear();
    ResourceLeaks.assertNone(hdfs.getDataNodes());
  }

  @Override
  public void close() {
    services.values().forEach(TransferService::close);
    hdfs.shutdown(true);
  }
}
