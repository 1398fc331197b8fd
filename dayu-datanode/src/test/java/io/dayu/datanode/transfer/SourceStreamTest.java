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
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtocol;
import org.apache.hadoop.hdfs.protocol.datatransfer.Op;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpReadBlockProto;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.InOrder;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.SocketChannel;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
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
    open(new LowerEffortPause());
    InOrder order = inOrder(socket);
    order.verify(socket).setTrafficClass(0x04);
    order.verify(socket).connect(any(), anyInt());
  }

  @ParameterizedTest
  @ValueSource(classes = {SocketException.class, UnsupportedOperationException.class})
  void socketThatTakesNoClass_connectsUnmarked(Class<? extends Exception> refusal) throws IOException {
    doThrow(refusal).when(socket).setTrafficClass(anyInt());
    LowerEffortPause marking = new LowerEffortPause();
    open(marking);
    verify(socket).connect(any(), anyInt());
    assertTrue(marking.isUnmarked(System.nanoTime()), "the next ones are not marked");
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
