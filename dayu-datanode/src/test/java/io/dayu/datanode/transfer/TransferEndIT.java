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
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerTestUtil;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.StorageLocation;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.junit.jupiter.api.Test;

import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import static io.dayu.datanode.transfer.PullCluster.assertNoTrace;
import static io.dayu.datanode.transfer.PullCluster.assertSameFiles;
import static io.dayu.datanode.transfer.PullCluster.grant;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A transfer that ends without a replica leaves no trace: cancelled, without a lease, or failed at its target. */
class TransferEndIT extends TransferFixture {
  @Test
  void cancelledTransfer_endsThoughItsSourceIsSilent() throws Exception {
    Placed file = hdfs.write("hung", LARGE);
    TransferService service = service(file.target());
    try (ServerSocket silent = new ServerSocket(0)) {
      GrantProto grant = from(silent.getLocalPort(), file);
      apply(service, grant);
      try (Socket accepted = silent.accept()) {
        assertTrue(accepted.getInputStream().read() >= 0);
        apply(service);
        assertCancelled(service, grant);
      }
    }
    assertNoTrace(file.block(), file.target());
  }

  @Test
  void cancelledTransfer_endsThoughItIsThrottled() throws Exception {
    Placed file = hdfs.write("held-back", LARGE);
    NodeShaper fullLink = new NodeShaper(PullCluster.settings(), 0, 1000);
    TransferService service =
        new TransferService(new DataNodeAccess(file.target()), () -> 16, fullLink, VolumeShapers.none(),
            PullCluster.REBUILD_BYTES, () -> {})
            .start();
    services.add(service);
    GrantProto grant = begin(service, file, file.first());
    apply(service);
    assertCancelled(service, grant);
    assertNoTrace(file.block(), file.target());
  }

  /** The cancel ends it, and no timeout. */
  private static void assertCancelled(TransferService service, GrantProto grant) throws Exception {
    Poll.until("it is cancelled", CANCEL_LIMIT, () -> !status(service).finished().isEmpty(), () -> status(service));
    assertEquals(Outcome.CANCELLED, end(service, grant).getOutcome());
  }

  @Test
  void transferNoLongerNamed_leavesNoTrace() throws Exception {
    Placed file = hdfs.write("cancel", LARGE);
    TransferService service = service(file.target());
    GrantProto grant = begin(service, file, file.first());
    apply(service);
    TransferRegistry.Status afterwards = status(service);
    assertTrue(afterwards.running().isEmpty() || afterwards.stopping(), afterwards::toString);
    FinishedTransferProto end = end(service, grant);
    assertEquals(Outcome.CANCELLED, end.getOutcome());
    assertTrue(end.getWastedBytes() > 0);
    assertFalse(status(service).stopping());
    assertNoTrace(file.block(), file.target());
    // A late grant of the same attempt is not a new transfer.
    apply(service, grant);
    assertTrue(status(service).running().isEmpty());
    service.granted().acknowledge(file.block().getBlockPoolId(), List.of(grant.getAttempt()));
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
    Poll.until("HDFS has removed the replica", SOON, () -> {
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
    assertEquals(LARGE + 1000, hdfs.read(file.path()).length);
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
  void replica_isFinalized_whileAReconfigurationHoldsTheConfiguration() throws Exception {
    Placed file = hdfs.write("reconfigured", LARGE);
    TransferService service = service(file.target());
    GrantProto grant = begin(service, file, file.first());
    // As DataNode.reconfigureProperty does, which then waits for the references to a volume that is removed.
    synchronized (file.target().getConf()) {
      apply(service, grant.toBuilder().setRateBytesPerSec(FAST).build());
      assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    }
    assertSameFiles(file.block(), file.first(), file.target());
  }

  @Test
  void failedVolume_failsTheTargetAndIsLetGoOf() throws Exception {
    try (PullCluster own = new PullCluster(oneBadVolume(), SEED)) {
      Placed file = own.write("failing", LARGE);
      DataNode target = file.target();
      TransferService service = service(target);
      GrantProto grant = grant(file.block(), file.first(), SLOW);
      String pool = file.block().getBlockPoolId();
      service.granted().apply(pool, List.of(grant), System.nanoTime());
      Poll.until("bytes have arrived", SOON,
          () -> service.granted().status(pool).running().stream().anyMatch(running -> running.getDoneBytes() > 0),
          () -> service.granted().status(pool));
      FsVolumeImpl failing = (FsVolumeImpl) target.getFSDataset().getVolume(file.block());
      File directory = new File(failing.getBaseURI());
      DataNodeTestUtils.injectDataDirFailure(directory);
      AtomicLong askedAfterMs = new AtomicLong(-1);
      Poll.until("the DataNode has found out", SOON, () -> {
        // A check that was under way already may have found nothing.
        if (askedAfterMs.getAndSet(target.getLastDiskErrorCheck()) != target.getLastDiskErrorCheck()) {
          target.checkDiskErrorAsync(failing);
        }
        return !hasVolume(target, failing);
      }, () -> failing);
      Poll.until("the transfer has ended", SOON, () -> !service.granted().status(pool).finished().isEmpty(),
          () -> service.granted().status(pool));
      assertEquals(Outcome.TARGET_FAILED, service.granted().status(pool).finished().get(0).getOutcome(),
          () -> service.granted().status(pool).toString());
      assertEquals("null", String.valueOf(target.getFSDataset().getReplicaString(pool, file.block().getBlockId())));
      service.close();
      ResourceLeaks.assertNone(own.cluster.getDataNodes());
      DataNodeTestUtils.restoreDataDirFromFailure(directory);
    }
  }

  private static boolean hasVolume(DataNode node, FsVolumeSpi wanted) throws IOException {
    try (FsDatasetSpi.FsVolumeReferences volumes = node.getFSDataset().getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        if (volume == wanted) {
          return true;
        }
      }
    }
    return false;
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
  void stoppedService_leavesNoTrace() throws Exception {
    Placed file = hdfs.write("stop", LARGE);
    TransferService service = service(file.target());
    begin(service, file, file.first());
    service.close();
    assertNoTrace(file.block(), file.target());
  }
}
