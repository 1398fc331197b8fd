/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.datanode;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.LengthInputStream;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.metrics2.lib.MutableCounterLong;
import org.apache.hadoop.security.token.Token;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.VarHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/**
 * The agent's access to its DataNode: the only class of ours that touches package-private members of
 * {@code org.apache.hadoop.hdfs.server.datanode}, which {@link DataNodeInternals} lists. It holds no policy. Safe for
 * use by all threads, as the members behind it are; each is read without a lock of ours. Links on Hadoop 3.4 and 3.5,
 * which {@link #missingMembers} checks first.
 */
public final class DataNodeAccess {
  /** A NameNode that this DataNode serves, as {@code BPOfferService} knows it. */
  public record NameNode(String blockPoolId, InetSocketAddress address) {
  }

  /** A healthy volume. */
  public record Volume(String storageId, StorageType type) {
  }

  /** Where a volume has its files. */
  public record VolumeFiles(StorageType type, Path directory) {
  }

  /** At which a replica is verified: a fifth of what a disk reads. */
  private static final long VERIFICATION_BYTES_PER_SEC = 32 << 20;

  /** How a dataset writes that it has no such replica. */
  private static final String NO_REPLICA = "null";

  private final DataNode datanode;
  private final VarHandle bytesRead;
  private final VarHandle bytesWritten;
  private final VarHandle reconstructionReadThrottler;
  private final VarHandle reconstructionWriteThrottler;

  /**
   * @throws ReflectiveOperationException if {@link #missingMembers} names one
   */
  public DataNodeAccess(DataNode datanode) throws ReflectiveOperationException {
    this.datanode = datanode;
    bytesRead = DataNodeInternals.counter("bytesRead");
    bytesWritten = DataNodeInternals.counter("bytesWritten");
    reconstructionReadThrottler = DataNodeInternals.reconstructionReadThrottler();
    reconstructionWriteThrottler = DataNodeInternals.reconstructionWriteThrottler();
  }

  /** The members that this class needs and that the Hadoop at hand does not have, as they are written in Java. */
  public static List<String> missingMembers() {
    return DataNodeInternals.missingMembers();
  }

  public Configuration conf() {
    return datanode.getConf();
  }

  public String datanodeUuid() {
    return datanode.getDatanodeUuid();
  }

  /**
   * Every NameNode of every block pool. Block pools appear here only after the first handshake with one of their
   * NameNodes, and may come and go while the DataNode runs.
   */
  public List<NameNode> nameNodes() {
    List<NameNode> nameNodes = new ArrayList<>();
    for (BPOfferService pool : datanode.getAllBpOs()) {
      String blockPoolId = pool.getBlockPoolId(true);
      if (blockPoolId != null) {
        for (BPServiceActor actor : pool.getBPServiceActors()) {
          nameNodes.add(new NameNode(blockPoolId, actor.getNNSocketAddress()));
        }
      }
    }
    return nameNodes;
  }

  /**
   * Whether the DataNode itself considers this NameNode the active one of its block pool, by the heartbeats'
   * transaction ids.
   */
  public boolean isActive(NameNode nameNode) {
    for (BPOfferService pool : datanode.getAllBpOs()) {
      if (nameNode.blockPoolId().equals(pool.getBlockPoolId(true))) {
        Object active = pool.getActiveNN();
        for (BPServiceActor actor : pool.getBPServiceActors()) {
          if (active != null && active == actor.getNameNodeProxy()
              && nameNode.address().equals(actor.getNNSocketAddress())) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** The volumes that hold replicas of their own; empty before the first handshake. */
  public List<Volume> volumes() {
    FsDatasetSpi<?> dataset = datanode.getFSDataset();
    List<Volume> volumes = new ArrayList<>();
    if (dataset != null) {
      try (FsDatasetSpi.FsVolumeReferences references = dataset.getFsVolumeReferences()) {
        for (FsVolumeSpi volume : references) {
          if (volume.getStorageType() != StorageType.PROVIDED) {
            volumes.add(new Volume(volume.getStorageID(), volume.getStorageType()));
          }
        }
      } catch (IOException e) {
        DataNode.LOG.debug("A volume was closed while being listed", e);
      }
    }
    return volumes;
  }

  /** The volume that holds a replica; empty if there is no such replica here. */
  public Optional<VolumeFiles> volume(ExtendedBlock block) {
    FsDatasetSpi<?> dataset = datanode.getFSDataset();
    FsVolumeSpi volume = dataset == null ? null : dataset.getVolume(block);
    return volume == null || volume.getBaseURI() == null || volume.getStorageType() == StorageType.PROVIDED
        ? Optional.empty() : Optional.of(new VolumeFiles(volume.getStorageType(), Path.of(volume.getBaseURI())));
  }

  /**
   * The dataset.
   *
   * @throws IOException before the first handshake with a NameNode
   */
  public FsDatasetSpi<?> dataset() throws IOException {
    FsDatasetSpi<?> dataset = datanode.getFSDataset();
    if (dataset == null) {
      throw new IOException("the DataNode has no storage yet");
    }
    return dataset;
  }

  /**
   * Whether this DataNode has a replica of this block, in whatever state. Once it begins to delete the file, HDFS says
   * that it has none, and the NameNode does not know yet.
   */
  public boolean hasReplica(String blockPoolId, long blockId) throws IOException {
    return !NO_REPLICA.equals(dataset().getReplicaString(blockPoolId, blockId));
  }

  /** Whether this DataNode is deleting a replica of this block, or was until fewer than 64 deletions ago. */
  public boolean isDeleting(String blockPoolId, long blockId) throws IOException {
    return dataset().isDeletingBlock(blockPoolId, blockId);
  }

  /** A token, minted now, to read {@code block} on another DataNode. */
  public Token<BlockTokenIdentifier> readToken(ExtendedBlock block) throws IOException {
    return datanode.getBlockAccessToken(block, EnumSet.of(BlockTokenIdentifier.AccessMode.READ),
        StorageType.EMPTY_ARRAY, new String[0]);
  }

  /**
   * The throttler of reads, or null: that of {@code dfs.datanode.data.read.bandwidthPerSec}, unless
   * {@link #setReadThrottler} has replaced it.
   */
  public DataTransferThrottler readThrottler() {
    return datanode.getXferServer().getReadThrottler();
  }

  /** Sets the throttler of all reads that begin from now on; null for none. */
  public void setReadThrottler(DataTransferThrottler throttler) {
    datanode.getXferServer().setReadThrottler(throttler);
  }

  /**
   * The throttler of what reconstructions of erasure-coded groups on this DataNode read, or null: that of
   * {@code dfs.datanode.ec.reconstruct.read.bandwidthPerSec}, unless {@link #setReconstructionReadThrottler} has
   * replaced it.
   */
  public DataTransferThrottler reconstructionReadThrottler() {
    return datanode.getEcReconstuctReadThrottler();
  }

  /** Sets that throttler; reconstructions that run obey it at once. null for none. */
  public void setReconstructionReadThrottler(DataTransferThrottler throttler) {
    reconstructionReadThrottler.setVolatile(datanode, throttler);
  }

  /**
   * The throttler of what reconstructions of erasure-coded groups on this DataNode write, or null: that of
   * {@code dfs.datanode.ec.reconstruct.write.bandwidthPerSec}, unless {@link #setReconstructionWriteThrottler} has
   * replaced it.
   */
  public DataTransferThrottler reconstructionWriteThrottler() {
    return datanode.getEcReconstuctWriteThrottler();
  }

  /** Sets that throttler; reconstructions that run obey it at once. null for none. */
  public void setReconstructionWriteThrottler(DataTransferThrottler throttler) {
    reconstructionWriteThrottler.setVolatile(datanode, throttler);
  }

  /** The admin's limit of all reads together as configured now, by {@code -reconfig} too; 0 for none. */
  public long readLimitBytesPerSec() {
    return datanode.getConf().getLongBytes(DFSConfigKeys.DFS_DATANODE_DATA_READ_BANDWIDTHPERSEC_KEY,
        DFSConfigKeys.DFS_DATANODE_DATA_READ_BANDWIDTHPERSEC_DEFAULT);
  }

  /** Where the DataNode listens for readers and writers; a wildcard address, if it listens on all interfaces. */
  public InetAddress transferAddress() {
    return datanode.getXferAddress().getAddress();
  }

  /** The address under which a NameNode knows this DataNode; empty before the first registration. */
  public Optional<InetAddress> registeredAddress() {
    for (BPOfferService pool : datanode.getAllBpOs()) {
      String blockPoolId = pool.getBlockPoolId(true);
      try {
        if (blockPoolId != null) {
          return Optional.of(InetAddress.getByName(datanode.getDNRegistrationForBP(blockPoolId).getIpAddr()));
        }
      } catch (IOException notRegistered) {
        // Another pool's NameNode may know it.
      }
    }
    return Optional.empty();
  }

  /** The address of one of the NameNodes, as it is set; empty if none of them can be resolved. */
  public Optional<InetSocketAddress> nameNodeAddress() {
    for (BPOfferService pool : datanode.getAllBpOs()) {
      for (BPServiceActor actor : pool.getBPServiceActors()) {
        if (!actor.getNNSocketAddress().isUnresolved()) {
          return Optional.of(actor.getNNSocketAddress());
        }
      }
    }
    return Optional.empty();
  }

  public Socket newSocket() throws IOException {
    return datanode.newSocket();
  }

  /**
   * The DataNode's own SASL handshake over a connected socket, as for a transfer between DataNodes.
   *
   * @param timeoutMs of each read and write, now and later
   */
  public Peer handshake(Socket socket, ExtendedBlock block, Token<BlockTokenIdentifier> token, DatanodeInfo remote,
      int timeoutMs) throws IOException {
    return DFSUtilClient.peerFromSocketAndKey(datanode.getSaslClient(), socket,
        datanode.getDataEncryptionKeyFactoryForBlock(block), token, remote, timeoutMs);
  }

  public int socketTimeoutMs() {
    return datanode.getDnConf().getSocketTimeout();
  }

  public boolean connectsByHostName() {
    return datanode.getDnConf().getConnectToDnViaHostname();
  }

  /**
   * Tells all NameNodes of the pool that another DataNode's replica is corrupt. Blocks for as long as the calls take.
   */
  public void reportBadReplica(DatanodeInfo holder, ExtendedBlock block) throws IOException {
    datanode.reportRemoteBadBlock(holder, block);
  }

  /**
   * Makes the DataNode check its own replica: as before a stock transfer, a block file that is missing, unreadable or
   * too short is reported to the NameNodes as corrupt. So is a replica without a meta file, which stock's sender
   * refuses to send. Reads the disk.
   */
  public void checkReplica(ExtendedBlock block) throws IOException {
    datanode.transferBlock(block, new DatanodeInfo[0], StorageType.EMPTY_ARRAY, new String[0]);
    FsDatasetSpi<?> dataset = dataset();
    FsVolumeSpi volume = dataset.getVolume(block);
    if (volume == null || volume.getStorageType() == StorageType.PROVIDED || !dataset.isValidBlock(block)) {
      return;
    }
    boolean hasChecksums;
    try (LengthInputStream meta = dataset.getMetaDataInputStream(block)) {
      hasChecksums = meta != null && meta.getLength() >= BlockMetadataHeader.getHeaderSize();
    }
    // It may have been deleted or appended to meanwhile.
    if (!hasChecksums && dataset.isValidBlock(block)) {
      DataNode.LOG.warn("Can't replicate block {} because its meta file doesn't exist, or has no header", block);
      datanode.reportBadBlocks(block);
    }
  }

  /**
   * Reads a replica of this DataNode as a whole, as HDFS's volume scanner does, at a rate that leaves disks to others.
   * What does not match its checksums is reported to the NameNodes as corrupt.
   *
   * @return whether it has the length of {@code block}, and matches its checksums
   */
  public boolean verifyReplica(ExtendedBlock block) throws IOException {
    BlockSender sender =
        new BlockSender(block, 0, -1, false, true, true, datanode, null, CachingStrategy.newDropBehind());
    try {
      sender.sendBlock(new DataOutputStream(OutputStream.nullOutputStream()), null,
          new DataTransferThrottler(VERIFICATION_BYTES_PER_SEC));
    } catch (ChecksumException e) {
      DataNode.LOG.warn("Replica {} does not match its checksums", block, e);
      datanode.reportBadBlocks(block);
      return false;
    } finally {
      // It may have closed itself; then it throws.
      IOUtils.cleanupWithLogger(null, sender);
    }
    return dataset().getLength(block) == block.getNumBytes();
  }

  /**
   * Counts a finalized block and queues "block received" for all NameNodes of its pool, as at the end of a stock
   * transfer.
   */
  public void announce(ExtendedBlock block, ReplicaInPipeline replica) {
    datanode.closeBlock(block, null, replica.getStorageUuid(), replica.isOnTransientStorage());
  }

  /** Counts a block that another DataNode has got from this one, as at the end of a stock transfer. */
  public void countReplicatedBlock() {
    datanode.getMetrics().incrBlocksReplicated();
  }

  /** Counts bytes of a block that were written in {@code elapsedMs}, as for a packet of a stock transfer. */
  public void countBytesWritten(int bytes, long elapsedMs) {
    datanode.getMetrics().incrBytesWritten(bytes);
    datanode.getMetrics().incrTotalWriteTime(elapsedMs);
  }

  /** Counts a rebuild of an internal block, as a stock reconstruction. */
  public void countRebuild(boolean succeeded, long readBytes, long writtenBytes, long decodingNs) {
    if (!succeeded) {
      datanode.getMetrics().incrECFailedReconstructionTasks();
    }
    datanode.getMetrics().incrECReconstructionTasks();
    datanode.getMetrics().incrECReconstructionBytesRead(readBytes);
    datanode.getMetrics().incrECReconstructionRemoteBytesRead(readBytes);
    datanode.getMetrics().incrECReconstructionBytesWritten(writtenBytes);
    datanode.getMetrics().incrECDecodingTime(decodingNs);
  }

  /** Counts what a rebuild has spent its time with, as a stock reconstruction does. */
  public void countRebuildTimes(long readMs, long decodingMs, long validatingMs, long writtenMs) {
    datanode.getMetrics().incrECReconstructionReadTime(readMs);
    datanode.getMetrics().incrECReconstructionDecodingTime(decodingMs);
    datanode.getMetrics().incrECReconstructionValidateTime(validatingMs);
    datanode.getMetrics().incrECReconstructionWriteTime(writtenMs);
  }

  /** Counts a rebuild whose result was wrong, as a stock reconstruction. */
  public void countInvalidRebuild() {
    datanode.getMetrics().incrECInvalidReconstructionTasks();
  }

  /** Block bytes that this DataNode has sent to readers. Moves at the end of each read only. */
  public long bytesRead() {
    return ((MutableCounterLong) bytesRead.get(datanode.getMetrics())).value();
  }

  /** Block bytes that this DataNode has written, the agent's own included. */
  public long bytesWritten() {
    return ((MutableCounterLong) bytesWritten.get(datanode.getMetrics())).value();
  }
}
