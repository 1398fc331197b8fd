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
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.DataOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import static io.dayu.datanode.transfer.PullCluster.assertSameFiles;
import static io.dayu.datanode.transfer.PullCluster.grant;
import static io.dayu.datanode.transfer.PullCluster.source;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The bytes that a transfer pulls, the rate at which it does, and transfers that wait for others to end. */
class TransferIT extends TransferFixture {
  @ParameterizedTest
  @CsvSource({"1, CRC32C, 512", "511, CRC32C, 512", "512, CRC32C, 512", "513, CRC32, 512", "65537, CRC32C, 512",
      "1048583, CRC32C, 512", "300000, CRC32C, 4096", "100000, NULL, 512"})
  void pulledReplica_isByteIdentical(int bytes, DataChecksum.Type type, int chunkBytes) throws Exception {
    Placed file = hdfs.write("sizes-" + bytes, bytes, new ChecksumOpt(type, chunkBytes));
    TransferService service = service(file.target());
    GrantProto grant = grant(file.block(), file.first(), FAST);
    apply(service, grant);
    assertEquals(Outcome.DONE, end(service, grant).getOutcome(), () -> status(service).toString());
    assertSameFiles(file.block(), file.first(), file.target());
    Poll.until("the NameNode knows the third replica", SOON,
        () -> hdfs.fs.getFileBlockLocations(file.path(), 0, bytes)[0].getHosts().length == 3, () -> "");
  }

  @Test
  void emptyBlock_isPulled() throws Exception {
    DataNode from = hdfs.cluster.getDataNodes().get(0);
    DataNode to = hdfs.cluster.getDataNodes().get(1);
    ExtendedBlock block = new ExtendedBlock(hdfs.cluster.getNamesystem().getBlockPoolId(), 4711, 0, 1001);
    ReplicaHandler handler = from.getFSDataset().createTemporary(StorageType.DISK, null, block, false);
    DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
    try (handler; var streams = handler.getReplica().createStreams(true, checksum)) {
      BlockMetadataHeader.writeHeader(new DataOutputStream(streams.getChecksumOut()), checksum);
    }
    from.getFSDataset().finalizeBlock(block, false);

    TransferService service = service(to);
    GrantProto grant = grant(block, from, FAST);
    apply(service, grant);
    assertEquals(Outcome.DONE, end(service, grant).getOutcome(), () -> status(service).toString());
    assertSameFiles(block, from, to);
  }

  @Test
  void raisedRate_takesEffectInFlight() throws Exception {
    Placed file = hdfs.write("rate", LARGE);
    TransferService service = service(file.target());
    GrantProto grant = begin(service, file, file.first());
    // At the old rate this would take a minute and a half.
    apply(service, grant.toBuilder().setRateBytesPerSec(FAST).build());
    assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    assertSameFiles(file.block(), file.first(), file.target());
  }

  @Test
  void lastBytes_areNotWaitedFor() throws Exception {
    // A single packet. Throttled after its last packet as after the others, this block would take 58 s.
    Placed file = hdfs.write("last", 60_000);
    TransferService service = service(file.target());
    GrantProto grant = grant(file.block(), file.first(), 1024);
    long beganNs = System.nanoTime();
    apply(service, grant);
    assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    assertTrue(System.nanoTime() - beganNs < Duration.ofSeconds(40).toNanos());
  }

  @Test
  void ceiling_holdsInAnyFiveSeconds_whenPausedAndWithAnotherSource() throws Exception {
    long ceiling = 600_000;
    Placed file = hdfs.write("ceiling", LARGE);
    TransferService service = service(file.target());
    GrantProto grant = grant(file.block(), file.first(), ceiling);
    RateWindows received = new RateWindows(service::receivedBytes);
    apply(service, grant);
    received.sampleUntil("a quarter has arrived, and a rate is measured",
        () -> service.receivedBytes() > LARGE / 4 && running(service).getAchievedBytesPerSec() > 0);
    apply(service, grant.toBuilder().setRateBytesPerSec(0).build());
    received.sampleUntil("nothing arrives", () -> running(service).getAchievedBytesPerSec() == 0);
    apply(service, grant);
    received.sampleUntil("half has arrived", () -> service.receivedBytes() > LARGE / 2);
    apply(service, grant.toBuilder().setSource(source(file.second())).build());
    received.sampleUntil("the transfer has ended", () -> !status(service).finished().isEmpty());
    assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    assertEquals(LARGE, service.receivedBytes());
    long windowSec = 5;
    long mostBytes = received.maxBytes(Duration.ofSeconds(windowSec));
    assertTrue(mostBytes > 0.5 * windowSec * ceiling, "it was the ceiling that held it back: " + mostBytes);
    // After a pause of its thread HDFS's throttler may let pass what it held back in two periods of half a second.
    assertTrue(mostBytes <= (1.1 * windowSec + 1) * ceiling, mostBytes + " bytes in " + windowSec + " s");
  }

  @Test
  void eachTransfer_isHeldToItsOwnGrant() throws Exception {
    long[] rates = {300_000, 600_000, 900_000};
    List<Placed> files = new ArrayList<>();
    for (int i = 0; files.size() < rates.length; i++) {
      Placed file = hdfs.write("grant-" + i, 4 * LARGE);
      if (files.isEmpty() || file.target() == files.get(0).target()) {
        files.add(file);
      }
    }
    TransferService service = service(files.get(0).target());
    List<GrantProto> grants = new ArrayList<>();
    for (int i = 0; i < rates.length; i++) {
      grants.add(grant(files.get(i).block(), files.get(i).first(), rates[i]));
    }
    apply(service, grants.toArray(new GrantProto[0]));
    // On a busy machine a transfer may have less for a while, but never more for long.
    Duration window = Duration.ofSeconds(4);
    List<RateWindows> received = grants.stream()
        .map(grant -> new RateWindows(() -> doneBytes(service, grant))).toList();
    Poll.until("each has had what it was granted for four seconds", SOON, () -> {
      received.forEach(RateWindows::sample);
      return IntStream.range(0, rates.length)
          .allMatch(i -> received.get(i).maxBytes(window) > 0.9 * rates[i] * window.toSeconds());
    }, () -> status(service));
    for (int i = 0; i < rates.length; i++) {
      long mostBytes = received.get(i).maxBytes(window);
      assertTrue(mostBytes <= (1.1 * window.toSeconds() + 1) * rates[i],
          mostBytes + " bytes in " + window + " at " + rates[i] + " bytes/s");
    }
  }

  private static long doneBytes(TransferService service, GrantProto grant) {
    return status(service).running().stream().filter(one -> one.getAttempt() == grant.getAttempt())
        .mapToLong(RunningTransferProto::getDoneBytes).findFirst().orElse(0);
  }

  @Test
  void zeroRate_holdsTheTransferUntilThereIsARateAgain() throws Exception {
    Placed file = hdfs.write("pause", LARGE);
    TransferService service = service(file.target());
    GrantProto grant = begin(service, file, file.first());
    Poll.until("a rate is measured", SOON, () -> running(service).getAchievedBytesPerSec() > 0,
        () -> status(service));
    apply(service, grant.toBuilder().setRateBytesPerSec(0).build());
    long doneBytes = awaitStandstill(service);
    apply(service, grant.toBuilder().setRateBytesPerSec(0).build());
    assertEquals(doneBytes, awaitStandstill(service));
    apply(service, grant.toBuilder().setRateBytesPerSec(FAST).build());
    assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    assertEquals(LARGE, service.receivedBytes());
    assertSameFiles(file.block(), file.first(), file.target());
  }

  /**
   * Waits for three seconds that bring nothing, in which {@link #SLOW} would bring three packets. What was being
   * received before may still arrive.
   *
   * @return the bytes that are done
   */
  private static long awaitStandstill(TransferService service) throws Exception {
    AtomicLong doneBytes = new AtomicLong(-1);
    AtomicLong sinceNs = new AtomicLong();
    Poll.until("nothing arrives", SOON, () -> {
      long nowNs = System.nanoTime();
      RunningTransferProto now = running(service);
      if (doneBytes.getAndSet(now.getDoneBytes()) != now.getDoneBytes()) {
        sinceNs.set(System.nanoTime());
      }
      return nowNs - sinceNs.get() > TimeUnit.SECONDS.toNanos(3) && now.getAchievedBytesPerSec() == 0;
    }, () -> status(service));
    return doneBytes.get();
  }

  @Test
  void transfersBeyondTheLimit_waitInTheOrderOfTheirGrants() throws Exception {
    Placed slow = hdfs.write("many-1", LARGE);
    TransferService service =
        new TransferService(new DataNodeAccess(slow.target()), () -> 1, PullCluster.shaper(), VolumeShapers.none(),
            PullCluster.REBUILD_BYTES,
            () -> {}).start();
    services.add(service);
    GrantProto first = begin(service, slow, slow.first());
    // The target of the one holds the other.
    GrantProto absent = grant(new ExtendedBlock(slow.block().getBlockPoolId(), 99_998, 1000, 1001), slow.first(), FAST);
    GrantProto cancelled =
        grant(new ExtendedBlock(slow.block().getBlockPoolId(), 99_997, 1000, 1001), slow.first(), FAST);
    apply(service, first, cancelled, absent);
    assertEquals(3, status(service).running().size());
    assertEquals(Set.of(slow.block().getBlockPoolId()), service.granted().activePools());
    apply(service, first, absent);
    FinishedTransferProto end = end(service, cancelled);
    assertEquals(Outcome.CANCELLED, end.getOutcome());
    assertEquals(0, end.getWastedBytes());
    assertFalse(status(service).stopping(), "what has not begun needs no time to end");
    assertTrue(status(service).running().stream().noneMatch(running -> running.hasFailedSourceUuid()),
        "the last one has not begun");
    apply(service, first.toBuilder().setRateBytesPerSec(FAST).build(), absent);
    assertEquals(Outcome.DONE, end(service, first).getOutcome());
    Poll.until("the last one has begun", SOON, () -> running(service).hasFailedSourceUuid(), () -> status(service));
    apply(service);
    assertEquals(Outcome.CANCELLED, end(service, absent).getOutcome());
    assertEquals(Set.of(), service.granted().activePools());
  }

  @Test
  void leaseOfAQueuedTransfer_ends() throws Exception {
    Placed slow = hdfs.write("queued", LARGE);
    TransferService service =
        new TransferService(new DataNodeAccess(slow.target()), () -> 1, PullCluster.shaper(), VolumeShapers.none(),
            PullCluster.REBUILD_BYTES,
            () -> {}).start();
    services.add(service);
    GrantProto first = begin(service, slow, slow.first());
    GrantProto queued = grant(new ExtendedBlock(slow.block().getBlockPoolId(), 99_996, 1000, 1001), slow.first(), FAST);
    apply(service, first, queued.toBuilder().setLeaseMs(300).build());
    assertEquals(Outcome.LEASE_EXPIRED, end(service, queued).getOutcome());
    assertEquals(first.getAttempt(), running(service).getAttempt());
  }
}
