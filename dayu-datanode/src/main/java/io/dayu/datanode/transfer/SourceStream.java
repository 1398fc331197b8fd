/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.BlockChecksumOptions;
import org.apache.hadoop.hdfs.protocol.BlockChecksumType;
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
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * The rest of a block being read from a stock DataNode, packet by packet, each checksum verified here. Used by one
 * thread, except for {@link #breakOff}. Follows {@code BlockReaderRemote} and, for tokens and SASL,
 * {@code StripedBlockReader}.
 */
final class SourceStream implements Closeable {
  /** The client name of recovery's reads. The source's agent recognizes them by it. */
  static final String CLIENT_NAME = "dayu-recovery";
  /** The same for a transfer at the highest risk. Agents of earlier versions take it for {@link #CLIENT_NAME}. */
  static final String HIGHEST_RISK_CLIENT_NAME = CLIENT_NAME + " at highest risk";
  private static final int MAX_CONNECT_MS = 10_000;
  /** How long a marked connection that is made to compare it is silent each time, if it proves anything. */
  private static final int MIN_SILENCE_MS = (int) TimeUnit.NANOSECONDS.toMillis(LowerEffortPause.SLOW_CONNECT_NS);
  /** What an unmarked connection is answered in, each time, if it proves anything. */
  private static final int MAX_UNMARKED_MS = 1_000;
  private static final int REQUEST_BUFFER_BYTES = 512;
  /** A source that does not end its read in this time is not told that all went well. */
  private static final int MAX_FINISH_MS = 10_000;

  private final DataNodeAccess node;
  private final DatanodeInfo remote;
  private final ExtendedBlock block;
  private final ReceiveBuffer receiveBuffer;
  private final int sharers;
  private final LowerEffortPause marking;
  private final boolean highestRisk;
  /** Whether marked connections that are silent are compared with others. */
  private final boolean compares;
  /** How long to wait for the source each time; 0 = for ever. */
  private final int timeoutMs;
  private final PacketReceiver receiver = new PacketReceiver(false);
  private volatile boolean brokenOff;
  /** null until {@link #connect}. */
  private volatile Socket socket;
  /** What asks the source once more, to compare its silence; null if nothing has yet. */
  private volatile SourceStream question;
  private Peer peer;
  private DataChecksum checksum;
  private long offset;
  private long lastSequence = -1;
  private boolean corrupt;

  /**
   * A stream that is not connected yet; see {@link #open}.
   *
   * @param receiveBuffer how far the source may run ahead of us
   * @param sharers how many sources of the transfer send at once
   * @param marking if not null, the connection is marked as {@link LowerEffort}, and this is told if that was in vain
   * @param highestRisk whether the source is to send to it before others
   */
  SourceStream(DataNodeAccess node, SourceProto source, ExtendedBlock block, ReceiveBuffer receiveBuffer,
      int sharers, LowerEffortPause marking, boolean highestRisk) {
    this(node, describe(source), block, receiveBuffer, sharers, marking, highestRisk, marking != null,
        node.socketTimeoutMs());
  }

  private SourceStream(DataNodeAccess node, DatanodeInfo remote, ExtendedBlock block, ReceiveBuffer receiveBuffer,
      int sharers, LowerEffortPause marking, boolean highestRisk, boolean compares, int timeoutMs) {
    this.node = node;
    this.remote = remote;
    this.block = block;
    this.receiveBuffer = receiveBuffer;
    this.sharers = sharers;
    this.marking = marking;
    this.highestRisk = highestRisk;
    this.compares = compares;
    this.timeoutMs = timeoutMs;
  }

  /** The source as HDFS describes a DataNode. */
  static DatanodeInfo describe(SourceProto source) {
    return new DatanodeInfoBuilder().setNodeID(new DatanodeID(source.getIpAddress(), source.getHostName(),
        source.getDatanodeUuid(), source.getTransferPort(), 0, 0, 0)).build();
  }

  /**
   * Connects and asks for the block.
   *
   * @param from where to begin, at the start of a chunk
   * @throws IOException if the source cannot be reached, refuses, or would start elsewhere
   */
  void open(long from) throws IOException {
    offset = from;
    ReadOpChecksumInfoProto info =
        withIoExceptions(() -> request(block.getNumBytes() - offset, true).getReadOpChecksumInfo());
    checksum = withIoExceptions(() -> DataTransferProtoUtil.fromProto(info.getChecksum()));
    if (checksum == null) {
      throw new IOException("source does not say what checksums it sends");
    }
    if (info.getChunkOffset() != offset) {
      throw new IOException("source starts at " + info.getChunkOffset() + " instead of " + offset
          + ": its chunks are of " + checksum.getBytesPerChecksum() + " bytes");
    }
  }

  /**
   * Connects and asks whether the source has the replica's block file. The request reads no bytes and no checksums: if
   * the file is missing, a DataNode only refuses it, whereas it would forget the replica at an ordinary read.
   *
   * @throws IOException if the source cannot be reached or refuses
   */
  void probe() throws IOException {
    withIoExceptions(() -> request(0, false));
    finish();
  }

  /**
   * Connects and asks which type of checksums the meta file of the replica has. An ordinary read returns
   * {@link DataChecksum.Type#NULL} also if there is no meta file.
   *
   * @throws IOException if the source cannot be reached, refuses, or cannot read the meta file
   */
  DataChecksum.Type storedChecksumType() throws IOException {
    Token<BlockTokenIdentifier> token = connect();
    DataOutputStream out = requestStream();
    // A read of no bytes returns the header only.
    ExtendedBlock none = new ExtendedBlock(block.getBlockPoolId(), block.getBlockId(), 0, block.getGenerationStamp());
    new Sender(out).blockChecksum(none, token, new BlockChecksumOptions(BlockChecksumType.MD5CRC));
    return withIoExceptions(
        () -> PBHelperClient.convert(response("asking for the checksums of ").getChecksumResponse().getCrcType()));
  }

  /** If a marked connection brings nothing for as long as the read waits, it is compared with others. */
  private <T> T orCompared(SourceRead<T> read) throws IOException {
    try {
      return read.read();
    } catch (SocketTimeoutException e) {
      if (compares && !brokenOff) {
        compareRead();
      }
      throw e;
    }
  }

  private PacketHeader nextPacket() throws IOException {
    return withIoExceptions(() -> {
      receiver.receiveNextPacket(peer.getInputStream());
      return receiver.getHeader();
    });
  }

  /** Something that reads from the source. */
  private interface SourceRead<T> {
    T read() throws IOException;
  }

  /** HDFS throws a RuntimeException at some messages that no DataNode sends. This, too, is a failure of the source. */
  private static <T> T withIoExceptions(SourceRead<T> sourceRead) throws IOException {
    try {
      return sourceRead.read();
    } catch (RuntimeException e) {
      throw new IOException("source sends an invalid message", e);
    }
  }

  private BlockOpResponseProto request(long bytes, boolean withChecksums) throws IOException {
    Token<BlockTokenIdentifier> token = connect();
    new Sender(requestStream()).readBlock(block, token, highestRisk ? HIGHEST_RISK_CLIENT_NAME : CLIENT_NAME, offset,
        bytes, withChecksums, CachingStrategy.newDropBehind());
    return response("reading ");
  }

  private DataOutputStream requestStream() throws IOException {
    return new DataOutputStream(new BufferedOutputStream(peer.getOutputStream(), REQUEST_BUFFER_BYTES));
  }

  private BlockOpResponseProto response(String what) throws IOException {
    BlockOpResponseProto response = orCompared(
        () -> BlockOpResponseProto.parseFrom(PBHelperClient.vintPrefixed(peer.getInputStream())));
    DataTransferProtoUtil.checkBlockOpStatus(response, what + block + " from " + remote);
    return response;
  }

  private Token<BlockTokenIdentifier> connect() throws IOException {
    socket = node.newSocket();
    int bufferBytes = receiveBuffer.bytes(remote.getDatanodeUuid(), sharers);
    if (bufferBytes != ReceiveBuffer.AUTOMATIC) {
      socket.setReceiveBufferSize(bufferBytes);
    }
    if (brokenOff) {
      throw new IOException("broken off before connecting");
    }
    if (marking != null) {
      mark();
    }
    long beganNs = System.nanoTime();
    if (compares) {
      connectCompared();
    } else {
      NetUtils.connect(socket, address(), atMost(MAX_CONNECT_MS));
    }
    receiveBuffer.connected(remote.getDatanodeUuid(), System.nanoTime() - beganNs);
    Token<BlockTokenIdentifier> token = node.readToken(block);
    peer = orCompared(() -> node.handshake(socket, block, token, remote, timeoutMs));
    return token;
  }

  private int atMost(int maxMs) {
    return timeoutMs == 0 ? maxMs : Math.min(maxMs, timeoutMs);
  }

  private void connectCompared() throws IOException {
    long beganNs = marking.nowNs();
    try {
      NetUtils.connect(socket, address(), atMost(MAX_CONNECT_MS));
    } finally {
      if (marking.isSuspicious(beganNs) && !brokenOff) {
        compareUnmarkedConnect();
      }
    }
  }

  /** Before the connect: the source's kernel answers with the class of the first packet. */
  private void mark() {
    try {
      socket.setTrafficClass(LowerEffort.TRAFFIC_CLASS);
    } catch (SocketException | RuntimeException e) {
      marking.refused(String.valueOf(e));
    }
  }

  private InetSocketAddress address() {
    return NetUtils.createSocketAddr(remote.getXferAddr(node.connectsByHostName()));
  }

  /** A marked connection took suspiciously long, or was not made: tries an unmarked one, which is closed at once. */
  private void compareUnmarkedConnect() {
    try (Socket unmarked = node.newSocket()) {
      NetUtils.connect(unmarked, address(), MAX_UNMARKED_MS);
      marking.proved(remote.getXferAddr());
    } catch (IOException e) {
      // The source answers nobody.
    }
  }

  /**
   * The source has sent nothing for so long on a marked connection that the read ends. Asks it for the replica on
   * another marked one, then on an unmarked one. The questions read no data of the block, so a source where only that
   * waits, for its turn on the link or for the disk, answers the first. A process that stands still answers none.
   */
  private void compareRead() {
    try (SourceStream marked = question(marking, MIN_SILENCE_MS)) {
      marked.probe();
    } catch (SocketTimeoutException e) {
      if (!brokenOff) {
        compareUnmarkedRead();
      }
    } catch (IOException e) {
      // The source refuses, which is an answer.
    }
  }

  private void compareUnmarkedRead() {
    try (SourceStream unmarked = question(null, MAX_UNMARKED_MS)) {
      unmarked.probe();
      marking.proved(remote.getXferAddr());
    } catch (IOException e) {
      // It is not the class.
    }
  }

  private SourceStream question(LowerEffortPause itsMarking, int maxMs) {
    SourceStream asks =
        new SourceStream(node, remote, block, receiveBuffer, sharers, itsMarking, highestRisk, false, atMost(maxMs));
    question = asks;
    if (brokenOff) {
      asks.breakOff();
    }
    return asks;
  }

  DataChecksum checksum() {
    return checksum;
  }

  /** Receives the next packet and verifies it; afterwards {@link #data} and {@link #checksums} hold its good part. */
  void receive() throws IOException {
    PacketHeader header = orCompared(this::nextPacket);
    int bytes = header.getDataLen();
    if (!header.sanityCheck(lastSequence) || header.getOffsetInBlock() != offset || bytes <= 0
        || receiver.getChecksumSlice().remaining() != checksum.getChecksumSize(bytes)) {
      throw new IOException("unexpected packet " + header + " at offset " + offset);
    }
    if (offset + bytes > block.getNumBytes()
        || (offset + bytes < block.getNumBytes() && bytes % checksum.getBytesPerChecksum() != 0)) {
      throw new IOException(
          "source's replica has another length: packet " + header + " in a block of " + block.getNumBytes() + " bytes");
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

  /** Takes the empty packet at the end and tells the source that all went well, so that it counts the read. */
  void finish() throws IOException {
    peer.setReadTimeout(atMost(MAX_FINISH_MS));
    nextPacket();
    ClientReadStatusProto.newBuilder().setStatus(Status.CHECKSUM_OK).build().writeDelimitedTo(peer.getOutputStream());
    peer.getOutputStream().flush();
  }

  /**
   * Makes a read that blocks in another thread return at once, also one that compares the source's silence. It does not
   * interrupt the thread, since an interrupt tells a transfer to end. An attempt to connect fails at once, too, unless
   * the socket has a channel: then only an interrupt ends it before its time limit.
   */
  void breakOff() {
    brokenOff = true;
    if (question != null) {
      question.breakOff();
    }
    Socket connection = socket;
    if (connection == null) {
      // connect() looks at brokenOff after it has made the socket.
      return;
    }
    try {
      connection.shutdownInput();
    } catch (IOException notConnected) {
      // Sockets have no channel where dfs.datanode.socket.write.timeout is 0. Such a connect ignores interrupts.
      IOUtils.closeSocket(connection);
    }
  }

  @Override
  public void close() {
    receiver.close();
    IOUtils.cleanupWithLogger(null, peer);
    IOUtils.closeSocket(socket);
  }
}
