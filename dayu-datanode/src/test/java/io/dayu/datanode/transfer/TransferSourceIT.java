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
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.BlockLocalPathInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.Test;

import java.io.DataOutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static io.dayu.datanode.transfer.PullCluster.assertNoTrace;
import static io.dayu.datanode.transfer.PullCluster.assertSameFiles;
import static io.dayu.datanode.transfer.PullCluster.grant;
import static io.dayu.datanode.transfer.PullCluster.source;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A source that fails, does not answer or serves bad bytes, and another one that goes on. */
class TransferSourceIT extends TransferFixture {
  @Test
  void otherSource_goesOnAtTheSameOffset() throws Exception {
    Placed file = hdfs.write("switch", LARGE);
    TransferService service = service(file.target());
    DataNodeAccess second = new DataNodeAccess(file.second());
    long servedBefore = second.bytesRead();
    GrantProto grant = begin(service, file, file.first());
    Poll.until("more has arrived than all checksums are long", SOON,
        () -> running(service).getDoneBytes() > LARGE / 64, () -> status(service));
    apply(service, grant.toBuilder().setSource(source(file.second())).setRateBytesPerSec(FAST).build());
    assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    assertEquals(LARGE, service.receivedBytes(), "no byte was pulled twice");
    Poll.until("the second source has counted its read", SOON, () -> second.bytesRead() > servedBefore, () -> "");
    long servedBySecond = second.bytesRead() - servedBefore;
    assertTrue(servedBySecond < LARGE && servedBySecond > 0, "the second source served the rest: " + servedBySecond);
    assertSameFiles(file.block(), file.second(), file.target());
  }

  @Test
  void deadSource_isReportedAndAnotherGoesOnAtTheSameOffset() throws Exception {
    int bytes = 4 * LARGE;
    Placed file = hdfs.write("dead", bytes);
    TransferService service = service(file.target());
    GrantProto grant = begin(service, file, file.first());
    String deadUuid = file.first().getDatanodeUuid();
    var stopped = hdfs.cluster.stopDataNode(file.first().getDisplayName());
    try {
      // What the source's kernel still holds is as good as ever, and comes first.
      apply(service, grant.toBuilder().setRateBytesPerSec(FAST).build());
      Poll.until("the failed source is reported", SOON,
          () -> running(service).getFailedSourceUuid().equals(deadUuid) && !running(service).getFailedSourceCorrupt(),
          () -> status(service));
      assertTrue(running(service).getDoneBytes() > 0, "what had arrived is kept");
      apply(service, grant.toBuilder().setSource(source(file.second())).setRateBytesPerSec(FAST).build());
      assertEquals(Outcome.DONE, end(service, grant).getOutcome());
      assertEquals(bytes, service.receivedBytes());
      assertSameFiles(file.block(), file.second(), file.target());
    } finally {
      assertTrue(hdfs.cluster.restartDataNode(stopped));
      hdfs.cluster.waitActive();
    }
  }

  @Test
  void corruptReplica_isReportedToTheNameNodeAndAnotherSourceGoesOn() throws Exception {
    Placed file = hdfs.write("corrupt", LARGE);
    int badOffset = LARGE / 2 + 100;
    hdfs.corrupt(file.block(), file.first(), badOffset);
    TransferService service = service(file.target());
    GrantProto grant = grant(file.block(), file.first(), FAST);
    apply(service, grant);
    Poll.until("the source is reported as corrupt", SOON, () -> running(service).getFailedSourceCorrupt(),
        () -> status(service));
    assertEquals(badOffset / 512 * 512, running(service).getDoneBytes(), "the good chunks before the bad one are kept");
    // Before the next wait: the transfer gives up after 15 s without another source.
    apply(service, grant.toBuilder().setSource(source(file.second())).build());
    hdfs.awaitKnownCorrupt(file, file.first());
    assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    assertEquals(LARGE, service.receivedBytes());
    assertSameFiles(file.block(), file.second(), file.target());
  }

  @Test
  void sourceWithoutTheBlock_failsTheTransferWhenNoOtherIsNamed() throws Exception {
    Placed file = hdfs.write("nowhere", 1000);
    TransferService service = service(file.target());
    ExtendedBlock unknown = new ExtendedBlock(file.block().getBlockPoolId(), 99_999, 1000, 1001);
    GrantProto grant = grant(unknown, file.first(), FAST);
    apply(service, grant);
    FinishedTransferProto end = end(service, grant);
    assertEquals(Outcome.SOURCE_FAILED, end.getOutcome());
    assertEquals(file.first().getDatanodeUuid(), end.getSourceUuid());
    assertNoTrace(unknown, file.target());
  }

  @Test
  void sourceThatNeverAnswers_givesWayToAnotherAtOnce() throws Exception {
    Placed file = hdfs.write("silent", LARGE);
    TransferService service = service(file.target());
    try (ServerSocket silent = new ServerSocket(0)) {
      GrantProto grant = grant(file.block(), file.first(), FAST);
      apply(service, from(silent.getLocalPort(), file));
      try (Socket accepted = silent.accept()) {
        // The request has arrived: the transfer now waits for the answer, for as long as dfs.client.socket-timeout.
        assertTrue(accepted.getInputStream().read() >= 0);
        apply(service, grant);
        assertEquals(Outcome.DONE, end(service, grant).getOutcome());
      }
    }
    assertSameFiles(file.block(), file.first(), file.target());
  }

  @Test
  void sourceThatNeverAnswers_takesNoPlaceOfAnotherTransfer() throws Exception {
    Placed file = hdfs.write("next", LARGE);
    DataNode target = file.target();
    TransferService service = service(target, 1);
    try (ServerSocket silent = new ServerSocket(0)) {
      ExtendedBlock other = new ExtendedBlock(file.block().getBlockPoolId(), 99_998, LARGE, 1001);
      GrantProto unanswered = grant(other, file.first(), FAST);
      GrantProto grant = grant(file.block(), file.first(), FAST);
      apply(service,
          unanswered.toBuilder()
              .setSource(unanswered.getSource().toBuilder().setTransferPort(silent.getLocalPort())).build(),
          grant);
      Poll.until("the second one has ended", Duration.ofSeconds(30), () -> !status(service).finished().isEmpty(),
          () -> status(service));
      assertEquals(Outcome.DONE, end(service, grant).getOutcome());
      assertEquals(unanswered.getAttempt(), running(service).getAttempt());
    }
    assertSameFiles(file.block(), file.first(), target);
  }

  @Test
  void failedSource_givesWayToAnAlternate_withoutAnotherGrant() throws Exception {
    Placed file = hdfs.write("alternate", LARGE);
    TransferService service = service(file.target());
    try (SourceProxy broken = SourceProxy.breaking(file.first().getXferPort(), () -> LARGE / 2)) {
      GrantProto grant = from(broken.port(), file).toBuilder().addAlternates(source(file.second())).build();
      apply(service, grant);
      FinishedTransferProto end = end(service, grant);
      assertEquals(Outcome.DONE, end.getOutcome());
      assertEquals(0, end.getWastedBytes());
      assertEquals(1, broken.limited(), "it is not tried again while there is another");
    }
    assertSameFiles(file.block(), file.first(), file.target());
  }

  @Test
  void sourceOutOfXceivers_givesWayToAnother() throws Exception {
    Placed file = hdfs.write("xceivers", LARGE);
    DataNode busy = file.first();
    DataNode free = file.second();
    // A thread of the write that has not ended yet would refuse one of the two below, and then leave a place free.
    Poll.until("no thread is taken", SOON, () -> busy.getXceiverCount() == 0, () -> busy.getXceiverCount());
    // Each takes a thread, which waits for a request. The limit counts those that are there before the next.
    try (Socket one = new Socket("localhost", busy.getXferPort());
        Socket two = new Socket("localhost", busy.getXferPort())) {
      Poll.until("two threads are taken", SOON, () -> busy.getXceiverCount() == 2, () -> "of " + List.of(one, two));
      busy.reconfigurePropertyImpl(DFSConfigKeys.DFS_DATANODE_MAX_RECEIVER_THREADS_KEY, "1");
      TransferService service = service(file.target());
      GrantProto grant = grant(file.block(), busy, FAST);
      apply(service, grant);
      Poll.until("the source has failed", SOON,
          () -> running(service).getFailedSourceUuid().equals(busy.getDatanodeUuid()), () -> status(service));
      assertFalse(running(service).getFailedSourceCorrupt());
      apply(service, grant.toBuilder().setSource(source(free)).build());
      assertEquals(Outcome.DONE, end(service, grant).getOutcome());
      assertSameFiles(file.block(), free, file.target());
    } finally {
      busy.reconfigurePropertyImpl(DFSConfigKeys.DFS_DATANODE_MAX_RECEIVER_THREADS_KEY, null);
    }
  }

  @Test
  void sourceWithOtherChecksums_isRefused() throws Exception {
    Placed file = hdfs.write("kinds", LARGE);
    BlockLocalPathInfo paths = file.second().getFSDataset().getBlockLocalPathInfo(new ExtendedBlock(file.block()));
    DataChecksum crc32 = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32, 512);
    byte[] content = Files.readAllBytes(Path.of(paths.getBlockPath()));
    ByteBuffer sums = ByteBuffer.allocate(crc32.getChecksumSize(content.length));
    crc32.calculateChunkedSums(ByteBuffer.wrap(content), sums);
    try (DataOutputStream meta = new DataOutputStream(Files.newOutputStream(Path.of(paths.getMetaPath())))) {
      BlockMetadataHeader.writeHeader(meta, crc32);
      meta.write(sums.array());
    }
    TransferService service = service(file.target());
    GrantProto grant = begin(service, file, file.first());
    apply(service, grant.toBuilder().setSource(source(file.second())).build());
    Poll.until("the source is refused", SOON,
        () -> running(service).getFailure().contains("another kind of checksums"), () -> status(service));
    apply(service, grant.toBuilder().setRateBytesPerSec(FAST).build());
    assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    assertEquals(LARGE, service.receivedBytes());
    assertSameFiles(file.block(), file.first(), file.target());
  }
}
