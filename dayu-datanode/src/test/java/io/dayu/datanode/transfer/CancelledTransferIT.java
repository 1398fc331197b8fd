/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.transfer.PullCluster.Placed;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ReadOpChecksumInfoProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;

import static io.dayu.datanode.transfer.PullCluster.assertNoTrace;
import static io.dayu.datanode.transfer.PullCluster.grant;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.spy;

/**
 * Wherever a cancel finds a transfer, its thread, its connection and its temporary replica are gone before a timeout
 * would end it.
 */
class CancelledTransferIT extends TransferFixture {
  /** More than one packet with its checksums, and less than two. */
  private static final int PACKET_AND_A_HALF = 100_000;
  private static final int MAX_BACKLOG = 64;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void cancel_inMidPacketOfASourceThatStallsOrTrickles(boolean trickles) throws Exception {
    Placed file = hdfs.write("stall-" + trickles, LARGE);
    TransferService service = service(file.target());
    try (SourceProxy source = SourceProxy.stalling(file.first().getXferPort(), PACKET_AND_A_HALF, trickles)) {
      GrantProto grant = from(source.port(), file);
      apply(service, grant);
      Poll.until("a packet and a half have arrived", SOON,
          () -> source.limited() > 0 && running(service).getDoneBytes() > 0, () -> status(service));
      cancel(service, file, () -> source.left() > 0);
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void cancel_whileItConnects() throws Exception {
    Placed file = hdfs.write("connect", LARGE);
    cancelWhileItConnects(service(file.target()), file);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void cancel_whileItConnects_byASocketWithoutAChannel() throws Exception {
    Placed file = hdfs.write("connect-plain", LARGE);
    cancelWhileItConnects(serviceWithPlainSockets(file), file);
  }

  /**
   * Its sockets have no channel, as the DataNode makes them where dfs.datanode.socket.write.timeout is 0, with which
   * clients cannot write. An interrupt does not close them.
   */
  private TransferService serviceWithPlainSockets(Placed file) throws Exception {
    DataNodeAccess node = spy(new DataNodeAccess(file.target()));
    doAnswer(call -> new Socket()).when(node).newSocket();
    TransferService service =
        new TransferService(node, () -> 16, PullCluster.shaper(), VolumeShapers.none(), PullCluster.REBUILD_BYTES,
            () -> {}).start();
    services.add(service);
    return service;
  }

  @Test
  void cancel_whileASourceThatSendsNoChecksumsIsAskedForThoseOfItsReplica() throws Exception {
    Placed file = hdfs.write("no-checksums", LARGE);
    TransferService service = serviceWithPlainSockets(file);
    List<Socket> accepted = new CopyOnWriteArrayList<>();
    try (ServerSocket source = new ServerSocket(0, 2, InetAddress.getLoopbackAddress())) {
      Thread silent = new Thread(() -> acceptTwoAndAnswerTheFirstWithoutChecksums(source, accepted));
      silent.start();
      apply(service, from(source.getLocalPort(), file));
      Poll.until("the source is asked a second time", SOON, () -> accepted.size() == 2, () -> status(service));
      cancel(service, file, () -> true);
      silent.join();
    } finally {
      accepted.forEach(IOUtils::closeSocket);
    }
  }

  private static void acceptTwoAndAnswerTheFirstWithoutChecksums(ServerSocket source, List<Socket> accepted) {
    DataChecksum none = DataChecksum.newDataChecksum(DataChecksum.Type.NULL, 512);
    try {
      Socket first = source.accept();
      accepted.add(first);
      BlockOpResponseProto.newBuilder().setStatus(Status.SUCCESS)
          .setReadOpChecksumInfo(ReadOpChecksumInfoProto.newBuilder().setChunkOffset(0)
              .setChecksum(DataTransferProtoUtil.toProto(none)))
          .build().writeDelimitedTo(first.getOutputStream());
      accepted.add(source.accept());
    } catch (IOException e) {
      // The test has failed and closes the source.
    }
  }

  /** The source's backlog is full, so the kernel drops requests to connect, as a host does that has lost its power. */
  private static void cancelWhileItConnects(TransferService service, Placed file) throws Exception {
    List<Socket> backlog = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      fill(full, backlog);
      service.granted().apply(file.block().getBlockPoolId(), List.of(from(full.getLocalPort(), file)),
          System.nanoTime());
      Poll.until("the transfer connects", SOON, () -> isConnecting(full.getLocalPort()),
          () -> service.granted().status(file.block().getBlockPoolId()));
      cancel(service, file, () -> !isConnecting(full.getLocalPort()));
    } finally {
      backlog.forEach(IOUtils::closeSocket);
    }
  }

  private static void fill(ServerSocket full, List<Socket> backlog) throws IOException {
    while (backlog.size() < MAX_BACKLOG) {
      Socket socket = new Socket();
      backlog.add(socket);
      try {
        socket.connect(full.getLocalSocketAddress(), 200);
      } catch (SocketTimeoutException isFull) {
        return;
      }
    }
    throw new AssertionError("the backlog takes any number of connections");
  }

  /** Whether the kernel has a connection to this local port in the state SYN_SENT. */
  private static boolean isConnecting(int port) throws IOException {
    String connecting = String.format(":%04X 02", port);
    return Files.readAllLines(Path.of("/proc/net/tcp")).stream().anyMatch(line -> line.contains(connecting));
  }

  private static void cancel(TransferService service, Placed file, Callable<Boolean> connectionIsGone)
      throws Exception {
    String pool = file.block().getBlockPoolId();
    long cancelledNs = System.nanoTime();
    service.granted().apply(pool, List.of(), cancelledNs);
    Poll.until("its thread and its connection are gone", CANCEL_LIMIT,
        () -> !service.granted().status(pool).finished().isEmpty() && ResourceLeaks.transferThreads().isEmpty()
            && connectionIsGone.call(),
        () -> service.granted().status(pool) + ", threads " + ResourceLeaks.transferThreads());
    assertNoTrace(file.block(), file.target());
    System.out.printf("gone %d ms after the cancel%n", (System.nanoTime() - cancelledNs) / 1_000_000);
    assertEquals(Outcome.CANCELLED, service.granted().status(pool).finished().get(0).getOutcome());
  }
}
