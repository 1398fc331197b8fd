/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.transfer.PullCluster.Placed;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.BlockLocalPathInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import static io.dayu.datanode.transfer.PullCluster.assertNoTrace;
import static io.dayu.datanode.transfer.PullCluster.assertSameFiles;
import static io.dayu.datanode.transfer.PullCluster.grant;
import static io.dayu.datanode.transfer.PullCluster.source;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Transfers between real DataNodes, driven by hand-made grants. A rate of 64 KB/s keeps one under way for as long as a
 * test needs.
 */
@Timeout(180)
class TransferIT {
  private static final long SEED = 20261121;
  static final long SLOW = 64 * 1024;
  static final long FAST = 1L << 30;
  static final int LARGE = 6 << 20;
  private static final Duration SOON = Duration.ofSeconds(30);

  static PullCluster hdfs;
  private final List<TransferService> services = new CopyOnWriteArrayList<>();

  @BeforeAll
  static void startCluster() throws IOException {
    System.out.println("seed " + SEED);
    hdfs = new PullCluster(new Configuration(), SEED);
  }

  @AfterAll
  static void stopCluster() {
    hdfs.close();
  }

  @AfterEach
  void stopServices() throws Exception {
    services.forEach(TransferService::close);
    ResourceLeaks.assertNone(hdfs.cluster.getDataNodes());
  }

  TransferService service(DataNode node) throws ReflectiveOperationException {
    TransferService service = new TransferService(new DataNodeAccess(node), () -> 16, shaper(), () -> {});
    services.add(service);
    return service;
  }

  /** All that this test has made. */
  List<TransferService> services() {
    return services;
  }

  /** For links that are never full. */
  static NodeShaper shaper() {
    return new NodeShaper(PullCluster.settings(), 0, 1L << 40);
  }

  static void apply(TransferService service, GrantProto... grants) {
    service.apply(hdfs.cluster.getNamesystem().getBlockPoolId(), List.of(grants), System.nanoTime());
  }

  static TransferService.Status status(TransferService service) {
    return service.status(hdfs.cluster.getNamesystem().getBlockPoolId());
  }

  static FinishedTransferProto end(TransferService service, GrantProto grant) throws Exception {
    Await.until("attempt " + grant.getAttempt() + " has ended", SOON,
        () -> status(service).finished().stream().anyMatch(end -> end.getAttempt() == grant.getAttempt()),
        () -> status(service));
    return status(service).finished().stream().filter(end -> end.getAttempt() == grant.getAttempt()).findFirst()
        .orElseThrow();
  }

  static RunningTransferProto running(TransferService service) {
    assertEquals(1, status(service).running().size(), () -> "running: " + status(service));
    return status(service).running().get(0);
  }

  /** Starts a slow transfer and waits until it is under way. */
  private static GrantProto begin(TransferService service, Placed file, DataNode source) throws Exception {
    GrantProto grant = grant(file.block(), source, SLOW);
    apply(service, grant);
    Await.until("bytes have arrived", SOON, () -> running(service).getDoneBytes() > 0, () -> status(service));
    assertTrue(running(service).hasStorageId());
    return grant;
  }

  @ParameterizedTest
  @CsvSource({"1, CRC32C, 512", "511, CRC32C, 512", "512, CRC32C, 512", "513, CRC32, 512", "65537, CRC32C, 512",
      "1048583, CRC32C, 512", "300000, CRC32C, 4096", "100000, NULL, 512"})
  void pulledReplica_isByteIdentical(int bytes, DataChecksum.Type type, int chunkBytes) throws Exception {
    Placed file = hdfs.write("sizes-" + bytes, bytes, new ChecksumOpt(type, chunkBytes));
    TransferService service = service(file.target());
    GrantProto grant = grant(file.block(), file.first(), FAST);
    apply(service, grant);
    assertEquals(Outcome.DONE, end(service, grant).getOutcome(), () -> status(service).toString());
    assertSameFiles(file.block(), file.first(), file.target());
    Await.until("the NameNode knows the third replica", SOON,
        () -> hdfs.fs.getFileBlockLocations(file.path(), 0, bytes)[0].getHosts().length == 3, () -> "");
  }

  @Test
  void emptyBlock_isPulled() throws Exception {
    DataNode from = hdfs.cluster.getDataNodes().get(0);
    DataNode to = hdfs.cluster.getDataNodes().get(1);
    ExtendedBlock block = new ExtendedBlock(hdfs.cluster.getNamesystem().getBlockPoolId(), 4711, 0, 1001);
    ReplicaHandler handler = from.getFSDataset().createTemporary(StorageType.DISK, null, block, false);
    DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
    try (handler; var streams = handler.getReplica().createStreams(true, checksum)) {
      BlockMetadataHeader.writeHeader(new DataOutputStream(streams.getChecksumOut()), checksum);
    }
    from.getFSDataset().finalizeBlock(block, false);

    TransferService service = service(to);
    GrantProto grant = grant(block, from, FAST);
    apply(service, grant);
    assertEquals(Outcome.DONE, end(service, grant).getOutcome(), () -> status(service).toString());
    assertSameFiles(block, from, to);
  }

  @Test
  void raisedRate_takesEffectInFlight() throws Exception {
    Placed file = hdfs.write("rate", LARGE);
    TransferService service = service(file.target());
    GrantProto grant = begin(service, file, file.first());
    // At the old rate this would take a minute and a half.
    apply(service, grant.toBuilder().setRateBytesPerSec(FAST).build());
    assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    assertSameFiles(file.block(), file.first(), file.target());
  }

  @Test
  void lastBytes_areNotWaitedFor() throws Exception {
    // Less than any turn. Throttled after its last packet as after the others, this block would take 16 s.
    Placed file = hdfs.write("last", 16_000);
    TransferService service = service(file.target());
    GrantProto grant = grant(file.block(), file.first(), 1024);
    long beganNs = System.nanoTime();
    apply(service, grant);
    assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    assertTrue(System.nanoTime() - beganNs < Duration.ofSeconds(14).toNanos());
  }

  @Test
  void zeroRate_holdsTheTransferUntilThereIsARateAgain() throws Exception {
    Placed file = hdfs.write("pause", LARGE);
    TransferService service = service(file.target());
    GrantProto grant = begin(service, file, file.first());
    apply(service, grant.toBuilder().setRateBytesPerSec(0).build());
    // What was being received may still be written; then three measured seconds bring nothing.
    Await.until("nothing arrives", SOON, () -> running(service).getAchievedBytesPerSec() == 0, () -> status(service));
    long doneBytes = running(service).getDoneBytes();
    apply(service, grant.toBuilder().setRateBytesPerSec(0).build());
    Await.until("still nothing arrives", SOON, () -> running(service).getAchievedBytesPerSec() == 0,
        () -> status(service));
    assertEquals(doneBytes, running(service).getDoneBytes());
    apply(service, grant.toBuilder().setRateBytesPerSec(FAST).build());
    assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    assertEquals(LARGE, service.receivedBytes());
    assertSameFiles(file.block(), file.first(), file.target());
  }

  @Test
  void otherSource_goesOnAtTheSameOffset() throws Exception {
    Placed file = hdfs.write("switch", LARGE);
    TransferService service = service(file.target());
    DataNodeAccess second = new DataNodeAccess(file.second());
    long servedBefore = second.bytesRead();
    GrantProto grant = begin(service, file, file.first());
    Await.until("more has arrived than all checksums are long", SOON,
        () -> running(service).getDoneBytes() > LARGE / 64, () -> status(service));
    apply(service, grant.toBuilder().setSource(source(file.second())).setRateBytesPerSec(FAST).build());
    assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    assertEquals(LARGE, service.receivedBytes(), "no byte was pulled twice");
    Await.until("the second source has counted its read", SOON, () -> second.bytesRead() > servedBefore, () -> "");
    long servedBySecond = second.bytesRead() - servedBefore;
    assertTrue(servedBySecond < LARGE && servedBySecond > 0, "the second source served the rest: " + servedBySecond);
    assertSameFiles(file.block(), file.second(), file.target());
  }

  @Test
  void deadSource_isReportedAndAnotherGoesOnAtTheSameOffset() throws Exception {
    int bytes = 4 * LARGE;
    Placed file = hdfs.write("dead", bytes);
    TransferService service = service(file.target());
    GrantProto grant = begin(service, file, file.first());
    String deadUuid = file.first().getDatanodeUuid();
    var stopped = hdfs.cluster.stopDataNode(file.first().getDisplayName());
    try {
      // What the source's kernel still holds is as good as ever, and comes first.
      apply(service, grant.toBuilder().setRateBytesPerSec(FAST).build());
      Await.until("the failed source is reported", SOON,
          () -> running(service).getFailedSourceUuid().equals(deadUuid) && !running(service).getFailedSourceCorrupt(),
          () -> status(service));
      assertTrue(running(service).getDoneBytes() > 0, "what had arrived is kept");
      apply(service, grant.toBuilder().setSource(source(file.second())).setRateBytesPerSec(FAST).build());
      assertEquals(Outcome.DONE, end(service, grant).getOutcome());
      assertEquals(bytes, service.receivedBytes());
      assertSameFiles(file.block(), file.second(), file.target());
    } finally {
      assertTrue(hdfs.cluster.restartDataNode(stopped, true));
      hdfs.cluster.waitActive();
    }
  }

  @Test
  void corruptReplica_isReportedToTheNameNodeAndAnotherSourceGoesOn() throws Exception {
    Placed file = hdfs.write("corrupt", LARGE);
    int badOffset = LARGE / 2 + 100;
    hdfs.corrupt(file.block(), file.first(), badOffset);
    TransferService service = service(file.target());
    GrantProto grant = grant(file.block(), file.first(), FAST);
    apply(service, grant);
    Await.until("the source is reported as corrupt", SOON, () -> running(service).getFailedSourceCorrupt(),
        () -> status(service));
    assertEquals(badOffset / 512 * 512, running(service).getDoneBytes(), "the good chunks before the bad one are kept");
    hdfs.awaitKnownCorrupt(file, file.first());
    apply(service, grant.toBuilder().setSource(source(file.second())).build());
    assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    assertEquals(LARGE, service.receivedBytes());
    assertSameFiles(file.block(), file.second(), file.target());
  }

  @Test
  void sourceWithoutTheBlock_failsTheTransferWhenNoOtherIsNamed() throws Exception {
    Placed file = hdfs.write("nowhere", 1000);
    TransferService service = service(file.target());
    ExtendedBlock unknown = new ExtendedBlock(file.block().getBlockPoolId(), 99_999, 1000, 1001);
    GrantProto grant = grant(unknown, file.first(), FAST);
    apply(service, grant);
    FinishedTransferProto end = end(service, grant);
    assertEquals(Outcome.SOURCE_FAILED, end.getOutcome());
    assertEquals(file.first().getDatanodeUuid(), end.getSourceUuid());
    assertNoTrace(unknown, file.target());
  }

  @Test
  void sourceThatNeverAnswers_givesWayToAnotherAtOnce() throws Exception {
    Placed file = hdfs.write("silent", LARGE);
    TransferService service = service(file.target());
    try (ServerSocket silent = new ServerSocket(0)) {
      GrantProto grant = grant(file.block(), file.first(), FAST);
      apply(service,
          grant.toBuilder().setSource(grant.getSource().toBuilder().setTransferPort(silent.getLocalPort())).build());
      try (Socket accepted = silent.accept()) {
        // The request has arrived: the transfer now waits for the answer, for as long as dfs.client.socket-timeout.
        assertTrue(accepted.getInputStream().read() >= 0);
        apply(service, grant);
        assertEquals(Outcome.DONE, end(service, grant).getOutcome());
      }
    }
    assertSameFiles(file.block(), file.first(), file.target());
  }

  @Test
  void cancelledTransfer_endsWithinASecondThoughItsSourceIsSilent() throws Exception {
    Placed file = hdfs.write("hung", LARGE);
    TransferService service = service(file.target());
    try (ServerSocket silent = new ServerSocket(0)) {
      GrantProto grant = grant(file.block(), file.first(), FAST);
      apply(service,
          grant.toBuilder().setSource(grant.getSource().toBuilder().setTransferPort(silent.getLocalPort())).build());
      try (Socket accepted = silent.accept()) {
        assertTrue(accepted.getInputStream().read() >= 0);
        long cancelledNs = System.nanoTime();
        apply(service);
        assertEquals(Outcome.CANCELLED, end(service, grant).getOutcome());
        assertTrue(System.nanoTime() - cancelledNs < Duration.ofSeconds(1).toNanos());
      }
    }
    assertNoTrace(file.block(), file.target());
  }

  @Test
  void cancelledTransfer_endsWithinASecondThoughItIsThrottled() throws Exception {
    Placed file = hdfs.write("held-back", LARGE);
    NodeShaper fullLink = new NodeShaper(PullCluster.settings(), 0, 1000);
    TransferService service = new TransferService(new DataNodeAccess(file.target()), () -> 16, fullLink, () -> {});
    services.add(service);
    GrantProto grant = begin(service, file, file.first());
    long cancelledNs = System.nanoTime();
    apply(service);
    assertEquals(Outcome.CANCELLED, end(service, grant).getOutcome());
    assertTrue(System.nanoTime() - cancelledNs < Duration.ofSeconds(1).toNanos());
    assertNoTrace(file.block(), file.target());
  }

  @Test
  void transferNoLongerNamed_leavesNoTrace() throws Exception {
    Placed file = hdfs.write("cancel", LARGE);
    TransferService service = service(file.target());
    GrantProto grant = begin(service, file, file.first());
    apply(service);
    assertTrue(status(service).running().isEmpty() || status(service).stopping());
    FinishedTransferProto end = end(service, grant);
    assertEquals(Outcome.CANCELLED, end.getOutcome());
    assertTrue(end.getWastedBytes() > 0);
    assertFalse(status(service).stopping());
    assertNoTrace(file.block(), file.target());
    // A late grant of the same attempt is not a new transfer.
    apply(service, grant);
    assertTrue(status(service).running().isEmpty());
    service.acknowledge(file.block().getBlockPoolId(), List.of(grant.getAttempt()));
    assertTrue(status(service).finished().isEmpty());
    apply(service, grant);
    assertTrue(status(service).running().isEmpty());
  }

  @Test
  void leaseThatEnds_leavesNoTrace() throws Exception {
    Placed file = hdfs.write("lease", LARGE);
    TransferService service = service(file.target());
    GrantProto grant = begin(service, file, file.first());
    apply(service, grant.toBuilder().setLeaseMs(300).build());
    assertEquals(Outcome.LEASE_EXPIRED, end(service, grant).getOutcome());
    assertNoTrace(file.block(), file.target());
  }

  @Test
  void fullDisk_failsTheTarget() throws Exception {
    Placed file = hdfs.write("full", 100_000);
    List<FsVolumeImpl> filled = new ArrayList<>();
    try (FsDatasetSpi.FsVolumeReferences volumes = file.target().getFSDataset().getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        filled.add((FsVolumeImpl) volume);
      }
    }
    List<Long> capacities = new ArrayList<>();
    for (FsVolumeImpl volume : filled) {
      capacities.add(volume.getCapacity());
      volume.setCapacityForTesting(1);
    }
    try {
      TransferService service = service(file.target());
      GrantProto grant = grant(file.block(), file.first(), FAST);
      apply(service, grant);
      FinishedTransferProto end = end(service, grant);
      assertEquals(Outcome.TARGET_FAILED, end.getOutcome());
      assertTrue(end.getMessage().contains("Out of space") || end.getMessage().contains("DiskOutOfSpace"),
          end.getMessage());
      assertNoTrace(file.block(), file.target());
    } finally {
      for (int i = 0; i < filled.size(); i++) {
        filled.get(i).setCapacityForTesting(capacities.get(i));
      }
    }
  }

  @Test
  void replicaThatIsHere_failsTheTargetAndStays() throws Exception {
    Placed file = hdfs.write("here", 100_000);
    TransferService service = service(file.first());
    GrantProto grant = grant(file.block(), file.second(), FAST);
    apply(service, grant);
    FinishedTransferProto end = end(service, grant);
    assertEquals(Outcome.TARGET_FAILED, end.getOutcome());
    assertTrue(end.getMessage().contains("already exists"), end.getMessage());
    assertSameFiles(file.block(), file.second(), file.first());
  }

  @Test
  void deletedFile_leavesNoTraceWhetherCancelledOrNot() throws Exception {
    Placed cancelled = hdfs.write("deleted-1", LARGE);
    TransferService service = service(cancelled.target());
    GrantProto grant = begin(service, cancelled, cancelled.first());
    hdfs.fs.delete(cancelled.path(), false);
    apply(service);
    assertEquals(Outcome.CANCELLED, end(service, grant).getOutcome());
    assertNoTrace(cancelled.block(), cancelled.target());

    Placed finished = hdfs.write("deleted-2", LARGE);
    TransferService other = service(finished.target());
    GrantProto late = begin(other, finished, finished.first());
    hdfs.fs.delete(finished.path(), false);
    apply(other, late.toBuilder().setRateBytesPerSec(FAST).build());
    end(other, late);
    BlockManager blocks = hdfs.cluster.getNamesystem().getBlockManager();
    Await.until("HDFS has removed the replica", SOON, () -> {
      BlockManagerTestUtil.computeInvalidationWork(blocks);
      return !finished.target().getFSDataset().contains(finished.block());
    }, () -> "");
  }

  @Test
  void append_outdatesTheTransferAndItsCancelLeavesNoTrace() throws Exception {
    Placed file = hdfs.write("append", LARGE);
    TransferService service = service(file.target());
    GrantProto grant = begin(service, file, file.first());
    try (FSDataOutputStream out = hdfs.fs.append(file.path())) {
      out.write(new byte[1000]);
    }
    apply(service);
    assertEquals(Outcome.CANCELLED, end(service, grant).getOutcome());
    assertNoTrace(file.block(), file.target());
    assertEquals(LARGE + 1000, DFSTestUtil.readFileAsBytes(hdfs.fs, file.path()).length);
  }

  @Test
  @SuppressWarnings("deprecation")
  void writerThatHdfsStops_diesAndLeavesNoTrace() throws Exception {
    Placed file = hdfs.write("newer", LARGE);
    TransferService service = service(file.target());
    GrantProto grant = begin(service, file, file.first());
    ReplicaInPipeline replica = (ReplicaInPipeline) file.target().getFSDataset()
        .getReplica(file.block().getBlockPoolId(), file.block().getBlockId());
    // Interrupts the writer's thread and joins it, as for a newer generation of the block; throws if it lives on.
    replica.stopWriter(SOON.toMillis());
    FinishedTransferProto end = end(service, grant);
    assertEquals(Outcome.TARGET_FAILED, end.getOutcome());
    assertTrue(end.getMessage().contains("interrupted"), end.getMessage());
    assertNoTrace(file.block(), file.target());
  }

  @Test
  void removedVolume_isLetGoOf() throws Exception {
    Placed file = hdfs.write("volume", LARGE);
    DataNode target = file.target();
    TransferService service = service(target);
    GrantProto grant = begin(service, file, file.first());
    String all = target.getConf().get(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY);
    String storageId = running(service).getStorageId();
    String ours = null;
    try (FsDatasetSpi.FsVolumeReferences volumes = target.getFSDataset().getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        if (volume.getStorageID().equals(storageId)) {
          ours = volume.getStorageLocation().toString();
        }
      }
    }
    StorageLocation removed = StorageLocation.parse(ours);
    List<String> others = new ArrayList<>();
    for (String location : all.split(",")) {
      if (!StorageLocation.parse(location).equals(removed)) {
        others.add(location);
      }
    }
    assertEquals(1, others.size(), all);
    // Waits for all who hold a reference to the volume.
    target.reconfigurePropertyImpl(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY, others.get(0));
    try {
      FinishedTransferProto end = end(service, grant);
      assertEquals(Outcome.TARGET_FAILED, end.getOutcome());
      assertTrue(end.getMessage().contains("interrupted"), end.getMessage());
      assertNoTrace(file.block(), target);
    } finally {
      target.reconfigurePropertyImpl(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY, all);
    }
  }

  @Test
  void sourceOutOfXceivers_givesWayToAnother() throws Exception {
    Placed file = hdfs.write("xceivers", LARGE);
    DataNode busy = file.first();
    DataNode free = file.second();
    busy.reconfigurePropertyImpl(DFSConfigKeys.DFS_DATANODE_MAX_RECEIVER_THREADS_KEY, "1");
    // Each takes a thread, which waits for a request. The limit counts those that are there before the next.
    try (Socket one = new Socket("localhost", busy.getXferPort());
        Socket two = new Socket("localhost", busy.getXferPort())) {
      Await.until("two threads are taken", SOON, () -> busy.getXceiverCount() > 1, () -> "of " + List.of(one, two));
      TransferService service = service(file.target());
      GrantProto grant = grant(file.block(), busy, FAST);
      apply(service, grant);
      Await.until("the source has failed", SOON,
          () -> running(service).getFailedSourceUuid().equals(busy.getDatanodeUuid()), () -> status(service));
      assertFalse(running(service).getFailedSourceCorrupt());
      apply(service, grant.toBuilder().setSource(source(free)).build());
      assertEquals(Outcome.DONE, end(service, grant).getOutcome());
      assertSameFiles(file.block(), free, file.target());
    } finally {
      busy.reconfigurePropertyImpl(DFSConfigKeys.DFS_DATANODE_MAX_RECEIVER_THREADS_KEY, null);
    }
  }

  @Test
  void failedVolume_failsTheTargetAndIsLetGoOf() throws Exception {
    try (PullCluster own = new PullCluster(oneBadVolume(), SEED)) {
      Placed file = own.write("failing", LARGE);
      DataNode target = file.target();
      TransferService service = service(target);
      GrantProto grant = grant(file.block(), file.first(), SLOW);
      String pool = file.block().getBlockPoolId();
      service.apply(pool, List.of(grant), System.nanoTime());
      Await.until("bytes have arrived", SOON,
          () -> service.status(pool).running().stream().anyMatch(running -> running.getDoneBytes() > 0),
          () -> service.status(pool));
      FsVolumeImpl failing = (FsVolumeImpl) target.getFSDataset().getVolume(file.block());
      File directory = new File(failing.getBaseURI());
      DataNodeTestUtils.injectDataDirFailure(directory);
      DataNodeTestUtils.waitForDiskError(target, failing);
      Await.until("the transfer has ended", SOON, () -> !service.status(pool).finished().isEmpty(),
          () -> service.status(pool));
      assertEquals(Outcome.TARGET_FAILED, service.status(pool).finished().get(0).getOutcome(),
          () -> service.status(pool).toString());
      assertEquals("null", String.valueOf(target.getFSDataset().getReplicaString(pool, file.block().getBlockId())));
      service.close();
      ResourceLeaks.assertNone(own.cluster.getDataNodes());
      DataNodeTestUtils.restoreDataDirFromFailure(directory);
    }
  }

  /** A DataNode goes on without a volume that fails, and looks at a suspect one at once. */
  private static Configuration oneBadVolume() {
    Configuration conf = new Configuration();
    conf.setInt(DFSConfigKeys.DFS_DATANODE_FAILED_VOLUMES_TOLERATED_KEY, 1);
    conf.set(DFSConfigKeys.DFS_DATANODE_DISK_CHECK_MIN_GAP_KEY, "0ms");
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, Path.of(MiniDFSCluster.getBaseDirectory(), "failing").toString());
    return conf;
  }

  @Test
  void sourceWithOtherChecksums_isRefused() throws Exception {
    Placed file = hdfs.write("kinds", LARGE);
    BlockLocalPathInfo paths = file.second().getFSDataset().getBlockLocalPathInfo(new ExtendedBlock(file.block()));
    DataChecksum crc32 = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32, 512);
    byte[] content = Files.readAllBytes(Path.of(paths.getBlockPath()));
    ByteBuffer sums = ByteBuffer.allocate(crc32.getChecksumSize(content.length));
    crc32.calculateChunkedSums(ByteBuffer.wrap(content), sums);
    try (DataOutputStream meta = new DataOutputStream(Files.newOutputStream(Path.of(paths.getMetaPath())))) {
      BlockMetadataHeader.writeHeader(meta, crc32);
      meta.write(sums.array());
    }
    TransferService service = service(file.target());
    GrantProto grant = begin(service, file, file.first());
    apply(service, grant.toBuilder().setSource(source(file.second())).build());
    Await.until("the source is refused", SOON,
        () -> running(service).getFailure().contains("another kind of checksums"), () -> status(service));
    apply(service, grant.toBuilder().setRateBytesPerSec(FAST).build());
    assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    assertEquals(LARGE, service.receivedBytes());
    assertSameFiles(file.block(), file.first(), file.target());
  }

  @Test
  void stoppedService_leavesNoTrace() throws Exception {
    Placed file = hdfs.write("stop", LARGE);
    TransferService service = service(file.target());
    begin(service, file, file.first());
    service.close();
    assertNoTrace(file.block(), file.target());
  }

  @Test
  void transfersBeyondTheLimit_waitInTheOrderOfTheirGrants() throws Exception {
    Placed slow = hdfs.write("many-1", LARGE);
    TransferService service = new TransferService(new DataNodeAccess(slow.target()), () -> 1, shaper(), () -> {});
    services.add(service);
    GrantProto first = begin(service, slow, slow.first());
    // The target of the one holds the other.
    GrantProto absent = grant(new ExtendedBlock(slow.block().getBlockPoolId(), 99_998, 1000, 1001), slow.first(), FAST);
    GrantProto cancelled =
        grant(new ExtendedBlock(slow.block().getBlockPoolId(), 99_997, 1000, 1001), slow.first(), FAST);
    apply(service, first, cancelled, absent);
    assertEquals(3, status(service).running().size());
    assertEquals(1, service.activePools(slow.block().getBlockPoolId()));
    assertEquals(2, service.activePools("BP-of-another-nameservice"));
    apply(service, first, absent);
    FinishedTransferProto end = end(service, cancelled);
    assertEquals(Outcome.CANCELLED, end.getOutcome());
    assertEquals(0, end.getWastedBytes());
    assertFalse(status(service).stopping(), "what has not begun needs no time to end");
    assertTrue(status(service).running().stream().noneMatch(running -> running.hasFailedSourceUuid()),
        "the last one has not begun");
    apply(service, first.toBuilder().setRateBytesPerSec(FAST).build(), absent);
    assertEquals(Outcome.DONE, end(service, first).getOutcome());
    assertEquals(Outcome.SOURCE_FAILED, end(service, absent).getOutcome());
    assertEquals(1, service.activePools("BP-of-another-nameservice"));
  }

  @Test
  void leaseOfAQueuedTransfer_ends() throws Exception {
    Placed slow = hdfs.write("queued", LARGE);
    TransferService service = new TransferService(new DataNodeAccess(slow.target()), () -> 1, shaper(), () -> {});
    services.add(service);
    GrantProto first = begin(service, slow, slow.first());
    GrantProto queued = grant(new ExtendedBlock(slow.block().getBlockPoolId(), 99_996, 1000, 1001), slow.first(), FAST);
    apply(service, first, queued.toBuilder().setLeaseMs(300).build());
    assertEquals(Outcome.LEASE_EXPIRED, end(service, queued).getOutcome());
    assertEquals(first.getAttempt(), running(service).getAttempt());
  }
}
