/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtocol;
import org.apache.hadoop.hdfs.protocol.datatransfer.Op;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpReadBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ReadOpChecksumInfoProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.InOrder;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** The connection to a source. */
class SourceStreamTest {
  private static final SourceProto SOURCE = SourceProto.newBuilder().setDatanodeUuid("dn").setIpAddress("127.0.0.1")
      .setHostName("localhost").setTransferPort(9866).build();

  private final Socket socket = mock(Socket.class);
  private final Peer peer = mock(Peer.class);
  private final DataNodeAccess node = mock(DataNodeAccess.class);
  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
  private final AtomicLong nowNs = new AtomicLong(TestClock.START_NS);
  private final LowerEffortPause pause = new LowerEffortPause(nowNs::get);
  /** A marked connection that is made to compare it. */
  private final Socket secondSocket = mock(Socket.class);
  private final Peer secondPeer = mock(Peer.class);
  private final Socket unmarkedSocket = mock(Socket.class);
  private final Peer unmarkedPeer = mock(Peer.class);

  /** Asks for a block of a source that does not answer. */
  private void open(LowerEffortPause marking) throws IOException {
    when(socket.getLocalPort()).thenReturn(1);
    when(peer.getInputStream()).thenReturn(new ByteArrayInputStream(new byte[0]));
    when(peer.getOutputStream()).thenReturn(sent);
    when(node.newSocket()).thenReturn(socket);
    when(node.readToken(any())).thenReturn(new Token<>());
    when(node.handshake(any(), any(), any(), any(), anyInt())).thenReturn(peer);
    try (SourceStream source = new SourceStream(node, SOURCE, new ExtendedBlock("BP-1", 1, 1, 1),
        new ReceiveBuffer(1024), 1, marking, false)) {
      assertThrows(IOException.class, () -> source.open(0));
    }
  }

  @Test
  void request_wantsTheSourceToDropWhatItHasRead() throws IOException {
    open(null);
    verify(socket, never()).setTrafficClass(anyInt());
    DataInputStream request = new DataInputStream(new ByteArrayInputStream(sent.toByteArray()));
    assertEquals(DataTransferProtocol.DATA_TRANSFER_VERSION, request.readShort());
    assertEquals(Op.READ_BLOCK, Op.read(request));
    OpReadBlockProto read = OpReadBlockProto.parseFrom(PBHelperClient.vintPrefixed(request));
    assertTrue(read.getCachingStrategy().getDropBehind(), read::toString);
  }

  @Test
  void lowerEffort_isMarkedBeforeTheConnect() throws IOException {
    open(pause);
    InOrder order = inOrder(socket);
    order.verify(socket).setTrafficClass(0x04);
    order.verify(socket).connect(any(), anyInt());
  }

  @ParameterizedTest
  @ValueSource(classes = {SocketException.class, UnsupportedOperationException.class})
  void socketThatTakesNoClass_connectsUnmarked(Class<? extends Exception> refusal) throws IOException {
    doThrow(refusal).when(socket).setTrafficClass(anyInt());
    open(pause);
    verify(socket).connect(any(), anyInt());
    assertTrue(pause.isUnmarked(), "the next ones are not marked");
  }

  /** What a source of one chunk answers to a read, before the first packet. */
  static byte[] answer() throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    BlockOpResponseProto.newBuilder().setStatus(Status.SUCCESS)
        .setReadOpChecksumInfo(ReadOpChecksumInfoProto.newBuilder().setChunkOffset(0)
            .setChecksum(DataTransferProtoUtil.toProto(DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512))))
        .build().writeDelimitedTo(answer);
    return answer.toByteArray();
  }

  /** The same to a probe, as a whole. */
  private static InputStream wholeAnswer() throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    answer.write(answer());
    new PacketHeader(Integer.BYTES, 0, 0, true, 0, false).write(new DataOutputStream(answer));
    return new ByteArrayInputStream(answer.toByteArray());
  }

  private static InputStream after(byte[] bytes, IOException end) {
    return new SequenceInputStream(new ByteArrayInputStream(bytes), new InputStream() {
      @Override
      public int read() throws IOException {
        throw end;
      }
    });
  }

  private interface InputStreamSource {
    InputStream open() throws IOException;
  }

  private static InputStream silence() {
    return after(new byte[0], new SocketTimeoutException());
  }

  private void answers(Socket connection, Peer itsPeer, InputStreamSource bytes) throws IOException {
    when(itsPeer.getOutputStream()).thenReturn(new ByteArrayOutputStream());
    when(node.handshake(eq(connection), any(), any(), any(), anyInt())).thenAnswer(call -> {
      doReturn(bytes.open()).when(itsPeer).getInputStream();
      return itsPeer;
    });
  }

  /** What comes after a marked connect that is made in time. */
  private boolean provesByRead(InputStreamSource marked, InputStreamSource second, InputStreamSource unmarked)
      throws IOException {
    answers(socket, peer, marked);
    answers(secondSocket, secondPeer, second);
    answers(unmarkedSocket, unmarkedPeer, unmarked);
    return proves(secondSocket, unmarkedSocket);
  }

  /**
   * Reads from as many DataNodes as prove a starved class, by marked connections, and returns whether they did.
   *
   * @param others the connections that are made to compare with, in turn
   */
  private boolean proves(Socket... others) throws IOException {
    when(socket.getLocalPort()).thenReturn(1);
    when(secondSocket.getLocalPort()).thenReturn(2);
    when(unmarkedSocket.getLocalPort()).thenReturn(3);
    when(node.readToken(any())).thenReturn(new Token<>());
    for (int i = 0; i < LowerEffortPause.PROOFS; i++) {
      when(node.newSocket()).thenReturn(socket, others);
      SourceProto source = SOURCE.toBuilder().setTransferPort(9866 + i).build();
      try (SourceStream stream = new SourceStream(node, source, new ExtendedBlock("BP-1", 1, 512, 1),
          new ReceiveBuffer(1024), 1, pause, false)) {
        assertThrows(IOException.class, () -> {
          stream.open(0);
          stream.receive();
        });
      }
    }
    verify(unmarkedSocket, never()).setTrafficClass(anyInt());
    return pause.isStarved();
  }

  /** Reads that fail once they are connected. */
  private boolean provesByConnect() throws IOException {
    answers(socket, peer, InputStream::nullInputStream);
    return proves(unmarkedSocket);
  }

  private void connectTakes(long seconds) throws IOException {
    doAnswer(call -> nowNs.addAndGet(TimeUnit.SECONDS.toNanos(seconds))).when(socket).connect(any(), anyInt());
  }

  @Test
  void lateMarkedConnect_provesAStarvedClass_ifAnUnmarkedOneIsMade() throws IOException {
    connectTakes(3);
    assertTrue(provesByConnect());
    verify(unmarkedSocket, times(LowerEffortPause.PROOFS)).close();
  }

  @Test
  void markedConnectThatFailsLate_provesTheSame() throws IOException {
    doAnswer(call -> {
      nowNs.addAndGet(TimeUnit.SECONDS.toNanos(10));
      throw new SocketTimeoutException();
    }).when(socket).connect(any(), anyInt());
    assertTrue(provesByConnect());
  }

  @Test
  void lateMarkedConnect_provesNothing_ifNoUnmarkedOneIsMade() throws IOException {
    connectTakes(3);
    doThrow(ConnectException.class).when(unmarkedSocket).connect(any(), anyInt());
    assertFalse(provesByConnect());
  }

  @Test
  void markedConnectInTime_isNotCompared() throws IOException {
    connectTakes(1);
    assertFalse(provesByConnect());
    verify(unmarkedSocket, never()).connect(any(), anyInt());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void silenceOnMarkedConnections_provesAStarvedClass_ifAnUnmarkedReadIsAnswered(boolean answersFirst)
      throws IOException {
    byte[] before = answersFirst ? answer() : new byte[0];
    assertTrue(provesByRead(() -> after(before, new SocketTimeoutException()), SourceStreamTest::silence,
        SourceStreamTest::wholeAnswer));
    verify(secondSocket, times(LowerEffortPause.PROOFS)).setTrafficClass(LowerEffort.TRAFFIC_CLASS);
    verify(node, times(3 * LowerEffortPause.PROOFS)).newSocket();
  }

  @Test
  void silence_provesAStarvedClass_ifNoSecondMarkedConnectionIsMade() throws IOException {
    doThrow(SocketTimeoutException.class).when(secondSocket).connect(any(), anyInt());
    assertTrue(provesByRead(SourceStreamTest::silence, SourceStreamTest::silence, SourceStreamTest::wholeAnswer));
  }

  @Test
  void silentHandshakesOnMarkedConnections_proveAStarvedClass() throws IOException {
    answers(unmarkedSocket, unmarkedPeer, SourceStreamTest::wholeAnswer);
    for (Socket marked : List.of(socket, secondSocket)) {
      when(node.handshake(eq(marked), any(), any(), any(), anyInt())).thenThrow(SocketTimeoutException.class);
    }
    assertTrue(proves(secondSocket, unmarkedSocket));
  }

  /** As where clients or transfers at the highest risk fill the source's link or disk: only the data waits. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void silenceOnAMarkedConnection_provesNothing_ifASecondOneIsAnswered(boolean answersFirst) throws IOException {
    byte[] before = answersFirst ? answer() : new byte[0];
    assertFalse(provesByRead(() -> after(before, new SocketTimeoutException()), SourceStreamTest::wholeAnswer,
        SourceStreamTest::wholeAnswer));
    verify(unmarkedSocket, never()).connect(any(), anyInt());
  }

  @Test
  void silenceOnAMarkedConnection_provesNothing_ifASecondOneBreaks() throws IOException {
    assertFalse(provesByRead(SourceStreamTest::silence, InputStream::nullInputStream, SourceStreamTest::wholeAnswer));
    verify(unmarkedSocket, never()).connect(any(), anyInt());
  }

  @Test
  void silenceOnMarkedConnections_provesNothing_ifTheSourceIsSilentToAll() throws IOException {
    byte[] before = answer();
    assertFalse(provesByRead(() -> after(before, new SocketTimeoutException()), SourceStreamTest::silence,
        SourceStreamTest::silence));
    verify(unmarkedSocket, times(LowerEffortPause.PROOFS)).connect(any(), anyInt());
  }

  @Test
  void comparison_isBrokenOffAtOnce() throws IOException {
    when(node.readToken(any())).thenReturn(new Token<>());
    when(socket.getLocalPort()).thenReturn(1);
    when(secondSocket.getLocalPort()).thenReturn(2);
    when(node.newSocket()).thenReturn(socket, secondSocket, unmarkedSocket);
    answers(socket, peer, SourceStreamTest::silence);
    try (SourceStream stream = new SourceStream(node, SOURCE, new ExtendedBlock("BP-1", 1, 512, 1),
        new ReceiveBuffer(1024), 1, pause, false)) {
      answers(secondSocket, secondPeer, () -> {
        stream.breakOff();
        return silence();
      });
      assertThrows(SocketTimeoutException.class, () -> stream.open(0));
    }
    verify(secondSocket).shutdownInput();
    verify(unmarkedSocket, never()).connect(any(), anyInt());
  }

  @Test
  void markedConnectionThatBreaks_isNotCompared() throws IOException {
    byte[] before = answer();
    assertFalse(provesByRead(() -> after(before, new EOFException()), SourceStreamTest::silence,
        SourceStreamTest::wholeAnswer));
    verify(node, times(LowerEffortPause.PROOFS)).newSocket();
  }

  @Test
  void trafficClass_isOnTheSocketsOfADataNode() throws IOException {
    assertTrue(Boolean.getBoolean("java.net.preferIPv4Stack"), "as Hadoop sets it");
    try (Socket withChannel = SocketChannel.open().socket(); Socket without = new Socket()) {
      for (Socket unconnected : List.of(withChannel, without)) {
        unconnected.setTrafficClass(LowerEffort.TRAFFIC_CLASS);
        assertEquals(LowerEffort.TRAFFIC_CLASS, unconnected.getTrafficClass());
      }
    }
  }
}
