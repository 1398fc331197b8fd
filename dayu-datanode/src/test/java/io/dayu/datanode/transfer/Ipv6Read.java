/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.DataChecksum;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/**
 * Reads a block from a source on {@code ::1} where traffic is to be marked, and prints what came of it. In a JVM of its
 * own: that of the tests has sockets of IPv4 only. The source is named by its host, since Hadoop reads no address of
 * IPv6 with a port.
 */
final class Ipv6Read {
  static final String NO_IPV6 = "no IPv6 on the loopback interface";
  static final String DONE = "read over IPv6, with marks ";
  private static final int BYTES = 512;
  private static final int TIMEOUT_MS = 30_000;

  private Ipv6Read() {
  }

  public static void main(String[] args) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
      Thread source = new Thread(() -> serve(server), "source");
      source.setDaemon(true);
      source.start();
      System.out.println(DONE + read(server.getLocalPort()));
    } catch (BindException | UnknownHostException e) {
      System.out.println(NO_IPV6);
    }
  }

  /** Sends the block without a look at the request. */
  private static void serve(ServerSocket server) {
    try (Socket target = server.accept()) {
      DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, BYTES);
      byte[] sums = new byte[checksum.getChecksumSize(BYTES)];
      checksum.calculateChunkedSums(new byte[BYTES], 0, BYTES, sums, 0);
      ByteArrayOutputStream sent = new ByteArrayOutputStream();
      DataOutputStream out = new DataOutputStream(sent);
      out.write(SourceStreamTest.answer());
      new PacketHeader(Integer.BYTES + sums.length + BYTES, 0, 0, false, BYTES, false).write(out);
      out.write(sums);
      out.write(new byte[BYTES]);
      new PacketHeader(Integer.BYTES, BYTES, 1, true, 0, false).write(out);
      target.getOutputStream().write(sent.toByteArray());
      // Until it has told that all went well.
      target.getInputStream().transferTo(ByteArrayOutputStream.nullOutputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether the connection was marked. */
  private static boolean read(int port) throws Exception {
    DataNodeAccess node = mock(DataNodeAccess.class);
    when(node.connectsByHostName()).thenReturn(true);
    when(node.socketTimeoutMs()).thenReturn(TIMEOUT_MS);
    when(node.newSocket()).thenAnswer(call -> new Socket());
    when(node.readToken(any())).thenReturn(new Token<>());
    when(node.handshake(any(), any(), any(), any(), anyInt()))
        .thenAnswer(call -> DFSUtilClient.peerFromSocket(call.getArgument(0)));
    Configuration conf = new Configuration(false);
    conf.set(Setting.TRAFFIC_CLASS.key(), "lower-effort");
    NodeShaper shaper = new NodeShaper(Settings.read(conf), 0, 1 << 20);
    SourceProto source = SourceProto.newBuilder().setDatanodeUuid("dn").setIpAddress("::1").setHostName("[::1]")
        .setTransferPort(port).build();
    LowerEffortPause marking = shaper.marking();
    try (SourceStream stream = new SourceStream(node, source, new ExtendedBlock("BP-1", 1, BYTES, 1),
        shaper.receiveBuffer(), 1, marking, false)) {
      stream.open(0);
      stream.receive();
      stream.failIfCorrupt();
      stream.finish();
    }
    return marking != null;
  }
}
