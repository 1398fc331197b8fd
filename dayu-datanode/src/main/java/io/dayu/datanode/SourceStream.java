/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketReceiver;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ClientReadStatusProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ReadOpChecksumInfoProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.DataChecksum;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A block being read from a stock DataNode, in one request or several, packet by packet, each checksum verified here. Used by one thread,
 * except for {@link #breakOff}. Follows {@code BlockReaderRemote} and, for tokens and SASL, {@code StripedBlockReader}.
 */
final class SourceStream implements Closeable {
  /** Small, so that the source cannot run megabytes ahead of the rate at which we read. */
  private static final int RECEIVE_BUFFER_BYTES = 128 * 1024;
  private static final int LONGEST_CONNECT_MS = 10_000;
  private static final int REQUEST_BUFFER_BYTES = 512;
  /** A source that ends a connection after less than that keeps none between requests. */
  private static final long SHORT_IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);
  /** Names us in the source's client trace. */
  private static final String CLIENT_NAME = "dayu-recovery";

  private final LongSupplier clock;
  private final DataNodeAccess node;
  private final DatanodeInfo remote;
  private final ExtendedBlock block;
  private final Socket socket;
  private PacketReceiver receiver = new PacketReceiver(false);
  private volatile boolean brokenOff;
  private Peer peer;
  private Token<BlockTokenIdentifier> token;
  private DataChecksum checksum;
  private long offset;
  private long requestEnd;
  private int requests;
  private long usedNanos;
  private long lastSequence = -1;
  private boolean corrupt;

  /** The source has closed a connection that had nothing to do, as it may: nothing is wrong with it. */
  static final class ClosedBetweenRequestsException extends IOException {
    private final boolean afterFirst;

    private ClosedBetweenRequestsException(IOException cause, boolean afterFirst) {
      super(cause);
      this.afterFirst = afterFirst;
    }

    /** Whether it did so soon after the first request, so that it will do so again. */
    boolean isHabit() {
      return afterFirst;
    }
  }

  /** Nothing is connected yet. */
  SourceStream(DataNodeAccess node, SourceProto source, ExtendedBlock block) throws IOException {
    this(node, source, block, System::nanoTime);
  }

  /** With another clock than {@link System#nanoTime}. */
  SourceStream(DataNodeAccess node, SourceProto source, ExtendedBlock block, LongSupplier clock) throws IOException {
    this.clock = clock;
    this.node = node;
    this.remote = describe(source);
    this.block = block;
    this.socket = node.newSocket();
  }

  /** The source as HDFS describes a DataNode. */
  static DatanodeInfo describe(SourceProto source) {
    return new DatanodeInfoBuilder().setNodeID(new DatanodeID(source.getIpAddress(), source.getHostName(),
        source.getDatanodeUuid(), source.getTransferPort(), 0, 0, 0)).build();
  }

  /**
   * Connects; nothing is asked for yet.
   *
   * @param silenceMs after so long without a byte it fails, now and when it reads, if not sooner by the DataNode's own settings
   * @throws IOException if the source cannot be reached
   */
  void connect(int silenceMs) throws IOException {
    // A timeout of 0 is none.
    int timeoutMs = node.socketTimeoutMs() == 0 ? silenceMs : Math.min(silenceMs, node.socketTimeoutMs());
    socket.setReceiveBufferSize(RECEIVE_BUFFER_BYTES);
    NetUtils.connect(socket, NetUtils.createSocketAddr(remote.getXferAddr(node.connectsByHostName())), Math.min(LONGEST_CONNECT_MS, timeoutMs));
    if (brokenOff) {
      throw new IOException("broken off while connecting");
    }
    token = node.readToken(block);
    peer = node.handshake(socket, block, token, remote, timeoutMs);
    usedNanos = clock.getAsLong();
  }

  /**
   * Asks for some bytes of the block, rounded up to whole chunks. All of the last request must have been received.
   *
   * @param from where they begin, at the start of a chunk
   * @throws ClosedBetweenRequestsException if the source has ended the connection since the last request, or while it was idle for long
   * @throws IOException if the source refuses, or would start elsewhere
   */
  void request(long from, long bytes) throws IOException {
    offset = from;
    requestEnd = from;
    long length = Math.min(bytes, block.getNumBytes() - offset);
    try {
      DataOutputStream out = new DataOutputStream(new BufferedOutputStream(peer.getOutputStream(), REQUEST_BUFFER_BYTES));
      new Sender(out).readBlock(block, token, CLIENT_NAME, offset, length, true, CachingStrategy.newDefaultStrategy());
    } catch (InterruptedIOException | ClosedByInterruptException interruptedOrTimedOut) {
      throw interruptedOrTimedOut;
    } catch (IOException e) {
      // A channel's "Broken pipe" has no class of its own.
      throw closedBetweenRequestsOr(e);
    }
    BlockOpResponseProto response;
    try {
      response = BlockOpResponseProto.parseFrom(PBHelperClient.vintPrefixed(peer.getInputStream()));
    } catch (EOFException | SocketException e) {
      throw closedBetweenRequestsOr(e);
    }
    DataTransferProtoUtil.checkBlockOpStatus(response, "reading " + block + " from " + remote);
    ReadOpChecksumInfoProto info = response.getReadOpChecksumInfo();
    DataChecksum offered = DataTransferProtoUtil.fromProto(info.getChecksum());
    if (checksum != null && !checksum.equals(offered)) {
      throw new IOException("source changed its kind of checksums from " + checksum + " to " + offered);
    }
    checksum = offered;
    if (info.getChunkOffset() != offset) {
      throw new IOException("source starts at " + info.getChunkOffset() + " instead of " + offset + ": its chunks are of "
          + checksum.getBytesPerChecksum() + " bytes");
    }
    if (requests++ > 0) {
      // One receives no more once it has seen the last packet of an answer.
      receiver.close();
      receiver = new PacketReceiver(false);
    }
    lastSequence = -1;
    long chunkBytes = checksum.getBytesPerChecksum();
    requestEnd = Math.min(block.getNumBytes(), (offset + length + chunkBytes - 1) / chunkBytes * chunkBytes);
  }

  private IOException closedBetweenRequestsOr(IOException e) {
    boolean wasIdle = clock.getAsLong() - usedNanos >= SHORT_IDLE_NANOS;
    return (requests > 0 || wasIdle) && !brokenOff ? new ClosedBetweenRequestsException(e, requests == 1 && !wasIdle) : e;
  }

  /** Whether all that was asked for has been received. */
  boolean isRequestDone() {
    return offset >= requestEnd;
  }

  DataChecksum checksum() {
    return checksum;
  }

  /** Receives the next packet and verifies it; afterwards {@link #data} and {@link #checksums} are what of it is good. */
  void receive() throws IOException {
    receiver.receiveNextPacket(peer.getInputStream());
    PacketHeader header = receiver.getHeader();
    int bytes = header.getDataLen();
    if (!header.sanityCheck(lastSequence) || header.getOffsetInBlock() != offset || bytes <= 0
        || receiver.getChecksumSlice().remaining() != checksum.getChecksumSize(bytes)) {
      throw new IOException("unexpected packet " + header + " at offset " + offset);
    }
    if (offset + bytes > requestEnd || (offset + bytes < block.getNumBytes() && bytes % checksum.getBytesPerChecksum() != 0)) {
      throw new IOException("source's replica has another length: packet " + header + " in a block of " + block.getNumBytes() + " bytes");
    }
    lastSequence = header.getSeqno();
    try {
      checksum.verifyChunkedSums(data(), checksums(), remote.toString(), offset);
    } catch (ChecksumException e) {
      corrupt = true;
      keepGoodChunks();
    }
    offset += data().remaining();
  }

  /** Cuts the packet before its first bad chunk. */
  private void keepGoodChunks() {
    int chunkBytes = checksum.getBytesPerChecksum();
    ByteBuffer data = data();
    int goodBytes = 0;
    try {
      while (goodBytes < data.remaining()) {
        int bytes = Math.min(chunkBytes, data.remaining() - goodBytes);
        int sum = goodBytes / chunkBytes * checksum.getChecksumSize();
        checksum.verifyChunkedSums(data.slice(goodBytes, bytes), checksums().slice(sum, checksum.getChecksumSize()),
            remote.toString(), offset);
        goodBytes += bytes;
      }
    } catch (ChecksumException firstBad) {
      data.limit(data.position() + goodBytes);
      checksums().limit(checksums().position() + goodBytes / chunkBytes * checksum.getChecksumSize());
    }
  }

  ByteBuffer data() {
    return receiver.getDataSlice();
  }

  ByteBuffer checksums() {
    return receiver.getChecksumSlice();
  }

  /** To be called when the good part of the packet is safe. */
  void failIfCorrupt() throws CorruptSourceException {
    if (corrupt) {
      throw new CorruptSourceException("checksum mismatch at offset " + offset);
    }
  }

  /** Takes the empty packet at the end of a request and tells the source that all went well, so that it counts the read. */
  void finish() throws IOException {
    receiver.receiveNextPacket(peer.getInputStream());
    ClientReadStatusProto.newBuilder().setStatus(Status.CHECKSUM_OK).build().writeDelimitedTo(peer.getOutputStream());
    peer.getOutputStream().flush();
    usedNanos = clock.getAsLong();
  }

  /** Makes a read that blocks in another thread return at once. An interrupt would do, but means something else there. */
  void breakOff() {
    brokenOff = true;
    try {
      socket.shutdownInput();
    } catch (IOException notConnected) {
      // Then no read blocks; connecting is bounded.
    }
  }

  @Override
  public void close() {
    receiver.close();
    IOUtils.cleanupWithLogger(null, peer);
    IOUtils.closeSocket(socket);
  }
}
