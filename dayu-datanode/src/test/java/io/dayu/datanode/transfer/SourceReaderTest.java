/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

/** How a source is connected to, and how another one takes its place. */
class SourceReaderTest {
  /** A thread that stands still for a while makes some of them late. */
  private static final int SWITCHES = 10;

  private final DataNodeAccess node = mock(DataNodeAccess.class);
  private final NodeShaper shaper = new NodeShaper(settings(), 0, 1 << 20, new LowerEffort(true, "true", "1"),
      System::nanoTime);

  private static Settings settings() {
    Configuration conf = new Configuration(false);
    conf.set(Setting.TRAFFIC_CLASS.key(), "lower-effort");
    try {
      return Settings.read(conf);
    } catch (BadSettingException e) {
      throw new AssertionError(e);
    }
  }

  private static SourceProto source(String uuid) {
    return SourceProto.newBuilder().setDatanodeUuid(uuid).setIpAddress("127.0.0.1").setHostName("localhost")
        .setTransferPort(9866).build();
  }

  private static GrantProto.Builder grant() {
    return GrantProto.newBuilder().setAttempt(1).setStorageType("DISK").setRateBytesPerSec(1 << 20)
        .setLeaseMs(600_000).setSource(source("dn"))
        .setBlock(BlockSpecProto.newBuilder().setBlockId(1).setGenerationStamp(1).setNumBytes(512));
  }

  /** A socket whose connect ends the transfer. */
  private static Socket last(TransferControl control, Runnable onConnect) throws IOException {
    Socket socket = mock(Socket.class);
    doAnswer(connect -> {
      onConnect.run();
      control.stop(Outcome.CANCELLED, "the test has seen enough");
      throw new ConnectException();
    }).when(socket).connect(any(), anyInt());
    return socket;
  }

  private TransferControl control(GrantProto.Builder grant) {
    return new TransferControl(grant.build(), System.nanoTime(), new Thread(), shaper.in());
  }

  /** Reads until the transfer is told to end. */
  private void read(TransferControl control) {
    SourceReader.Sink sink = mock(SourceReader.Sink.class);
    when(sink.block(any())).thenReturn(new ExtendedBlock("BP-1", 1, 512, 1));
    when(sink.restBytes()).thenReturn(512L);
    SourceReader reader = new SourceReader(node, control, control.sources().get(0), shaper, 1, bytes -> {}, sink);
    assertThrows(TransferControl.StopException.class, reader::read);
  }

  /** The socket of the first connection that a transfer makes. */
  private Socket connected(boolean onlySource) throws IOException {
    TransferControl control = control(grant().setOnlySource(onlySource));
    Socket socket = last(control, () -> {});
    when(node.newSocket()).thenReturn(socket);
    read(control);
    verify(socket).connect(any(), anyInt());
    return socket;
  }

  @Test
  void sourceThatIsOneOfSeveral_isReadByAMarkedConnection() throws IOException {
    verify(connected(false)).setTrafficClass(LowerEffort.TRAFFIC_CLASS);
  }

  @Test
  void onlySource_isReadByAnUnmarkedConnection() throws IOException {
    verify(connected(true), never()).setTrafficClass(anyInt());
  }

  /** Returns how long after a connection has broken the next one is tried, to the alternate. */
  private long switchNs() throws IOException {
    TransferControl control = control(grant().addAlternates(source("dn2")));
    AtomicLong brokenNs = new AtomicLong();
    AtomicLong switchedNs = new AtomicLong();
    Socket first = mock(Socket.class);
    when(first.getLocalPort()).thenReturn(1);
    Socket second = last(control, () -> switchedNs.set(System.nanoTime()));
    Peer peer = mock(Peer.class);
    when(peer.getOutputStream()).thenReturn(new ByteArrayOutputStream());
    InputStream answer = new SequenceInputStream(new ByteArrayInputStream(SourceStreamTest.answer()),
        new InputStream() {
          @Override
          public int read() throws IOException {
            brokenNs.set(System.nanoTime());
            throw new SocketException("Connection reset");
          }
        });
    when(peer.getInputStream()).thenReturn(answer);
    when(node.newSocket()).thenReturn(first, second);
    when(node.readToken(any())).thenReturn(new Token<>());
    when(node.handshake(any(), any(), any(), any(), anyInt())).thenReturn(peer);
    read(control);
    verify(second).connect(any(), anyInt());
    assertEquals("dn2", control.sources().get(0).current().getDatanodeUuid());
    return switchedNs.get() - brokenNs.get();
  }

  @Test
  void brokenConnection_givesWayToAnAlternate_withinASecond() throws IOException {
    long fastestNs = Long.MAX_VALUE;
    for (int i = 0; i < SWITCHES && fastestNs >= TimeUnit.SECONDS.toNanos(1); i++) {
      fastestNs = Math.min(fastestNs, switchNs());
    }
    assertTrue(fastestNs < TimeUnit.SECONDS.toNanos(1), fastestNs + " ns");
  }
}
