/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ReadOpChecksumInfoProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** Requests to a source whose connection fails as the test says. */
class SourceStreamTest {
  private static final ExtendedBlock BLOCK = new ExtendedBlock("pool", 1, 10_000, 1);

  private final Peer peer = mock(Peer.class);
  private long nowNanos = -1;
  private IOException writeFailure;
  private byte[] answer;
  private ServerSocket server;
  private SourceStream stream;

  @BeforeEach
  void connect() throws IOException {
    DataNodeAccess node = mock(DataNodeAccess.class);
    server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    SourceProto source = SourceProto.newBuilder().setDatanodeUuid("source").setIpAddress("127.0.0.1").setHostName("localhost")
        .setTransferPort(server.getLocalPort()).build();
    when(node.newSocket()).thenReturn(new Socket());
    when(node.socketTimeoutMs()).thenReturn(60_000);
    when(node.readToken(any())).thenReturn(new Token<BlockTokenIdentifier>());
    when(node.handshake(any(), any(), any(), any(), anyInt())).thenReturn(peer);
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    BlockOpResponseProto.newBuilder().setStatus(Status.SUCCESS).setReadOpChecksumInfo(ReadOpChecksumInfoProto.newBuilder()
        .setChecksum(DataTransferProtoUtil.toProto(DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512)))
        .setChunkOffset(0)).build().writeDelimitedTo(written);
    answer = written.toByteArray();
    when(peer.getInputStream()).thenReturn(new ByteArrayInputStream(answer));
    when(peer.getOutputStream()).thenReturn(new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        if (writeFailure != null) {
          throw writeFailure;
        }
      }
    });
    stream = new SourceStream(node, source, BLOCK, () -> nowNanos);
    stream.connect(10_000);
  }

  @AfterEach
  void close() throws IOException {
    stream.close();
    server.close();
  }

  @Test
  void writeThatFails_isAClosedConnectionAfterTheFirstRequest() throws IOException {
    stream.request(0, 1024);
    writeFailure = new IOException("Broken pipe");
    SourceStream.ClosedBetweenRequestsException thrown = assertThrows(SourceStream.ClosedBetweenRequestsException.class,
        () -> stream.request(0, 1024));
    assertSame(writeFailure, thrown.getCause());
    assertTrue(thrown.isHabit());
  }

  @Test
  void answerThatDoesNotCome_isAClosedConnectionAfterTheFirstRequest() throws IOException {
    stream.request(0, 1024);
    assertThrows(SourceStream.ClosedBetweenRequestsException.class, () -> stream.request(0, 1024));
  }

  @Test
  void connectionThatIsClosedAfterMoreRequests_isNoHabit() throws IOException {
    when(peer.getInputStream()).thenAnswer(call -> new ByteArrayInputStream(answer));
    stream.request(0, 1024);
    stream.request(0, 1024);
    writeFailure = new IOException("Broken pipe");
    assertFalse(assertThrows(SourceStream.ClosedBetweenRequestsException.class, () -> stream.request(0, 1024)).isHabit());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void connectionThatIsClosedAfterALongPause_isNoHabit(int requestsBefore) throws IOException {
    if (requestsBefore > 0) {
      stream.request(0, 1024);
    }
    nowNanos += TimeUnit.SECONDS.toNanos(1);
    writeFailure = new IOException("Broken pipe");
    assertFalse(assertThrows(SourceStream.ClosedBetweenRequestsException.class, () -> stream.request(0, 1024)).isHabit());
  }

  @Test
  void firstRequestThatFails_isTheSourcesFailure() {
    writeFailure = new IOException("Broken pipe");
    assertSame(writeFailure, assertThrows(IOException.class, () -> stream.request(0, 1024)));
  }

  @Test
  void writeThatTimesOut_isTheSourcesFailure() throws IOException {
    stream.request(0, 1024);
    writeFailure = new SocketTimeoutException("nobody reads");
    assertSame(writeFailure, assertThrows(IOException.class, () -> stream.request(0, 1024)));
  }
}
