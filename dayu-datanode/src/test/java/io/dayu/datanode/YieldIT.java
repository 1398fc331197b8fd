/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.PullCluster.Placed;
import io.dayu.datanode.SourceTurns.Answer;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.test.MetricsAsserts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static io.dayu.datanode.PullCluster.assertSameFiles;
import static io.dayu.datanode.PullCluster.grant;
import static io.dayu.datanode.PullCluster.source;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What is peculiar to transfers that yield, between real DataNodes: all else is in {@link YieldingTransferIT}. */
@Timeout(180)
class YieldIT {
  private static final long LINK = 100_000_000;

  private static Turns newTurns() {
    return newTurns(new FakeSourceTurns(Answer.NOBODY), 0.75);
  }

  /** @param utilization up to which transfers take more than their grants */
  private static Turns newTurns(FakeSourceTurns agents, double utilization) {
    return new YieldingTurns(new FixedMeter(), LINK, () -> utilization, agents);
  }

  private static FinishedTransferProto pull(PullCluster hdfs, Placed file, GrantProto grant, Turns turns) throws Exception {
    String pool = hdfs.cluster.getNamesystem().getBlockPoolId();
    try (TransferService service = new TransferService(new DataNodeAccess(file.target()), () -> 1, turns, () -> { })) {
      service.obey(pool, List.of(grant), System.nanoTime());
      Await.until("the transfer has ended", Duration.ofSeconds(60), () -> !service.status(pool).finished().isEmpty(),
          () -> service.status(pool));
      return service.status(pool).finished().get(0);
    }
  }

  @Test
  void grantedRate_isKeptOnAnIdleLink() throws Exception {
    try (PullCluster hdfs = new PullCluster(new Configuration(), 1)) {
      Placed file = hdfs.write("rate", 6 << 20);
      long rate = 1_500_000;
      long beganNanos = System.nanoTime();
      assertEquals(Outcome.DONE, pull(hdfs, file, grant(file.block(), file.first(), rate), newTurns()).getOutcome());
      double achieved = file.block().getNumBytes() * 1e9 / (System.nanoTime() - beganNanos);
      // The first period's and the last turn's bytes are not waited for; connecting and the status' polling take their time.
      assertEquals(rate, achieved, 0.12 * rate);
    }
  }

  @Test
  void sourceThatKeepsNoConnections_isReadOverTwo() throws Exception {
    Configuration conf = new Configuration();
    conf.setInt(DFSConfigKeys.DFS_DATANODE_SOCKET_REUSE_KEEPALIVE_KEY, 0);
    try (PullCluster hdfs = new PullCluster(conf, 1)) {
      Placed file = hdfs.write("hangs-up", 6 << 20);
      long readsBefore = readsWhenQuiet(file);
      assertEquals(Outcome.DONE, pull(hdfs, file, grant(file.block(), file.first(), LINK), newTurns()).getOutcome());
      assertSameFiles(file.block(), file.first(), file.target());
      Await.until("the source has counted its reads", Duration.ofSeconds(30), () -> reads(file) == readsBefore + 2,
          () -> reads(file) - readsBefore);
    }
  }

  @Test
  void sourceThatKeepsNoConnections_isReadOverTwoWhereTurnsAreAsLargeAsTheRateAllows() throws Exception {
    Configuration conf = new Configuration();
    conf.setInt(DFSConfigKeys.DFS_DATANODE_SOCKET_REUSE_KEEPALIVE_KEY, 0);
    try (PullCluster hdfs = new PullCluster(conf, 1)) {
      Placed file = hdfs.write("hangs-up", 256 << 10);
      long readsBefore = readsWhenQuiet(file);
      GrantProto grant = grant(file.block(), file.first(), 64 << 10);
      assertEquals(Outcome.DONE, pull(hdfs, file, grant, newTurns(new FakeSourceTurns(Answer.YES), 0)).getOutcome());
      Await.until("the source has counted its reads", Duration.ofSeconds(30), () -> reads(file) == readsBefore + 2,
          () -> reads(file) - readsBefore);
    }
  }

  @Test
  void sourceThatEndsIdleConnections_isStillAskedForEachTurn() throws Exception {
    Configuration conf = new Configuration();
    conf.setInt(DFSConfigKeys.DFS_DATANODE_SOCKET_REUSE_KEEPALIVE_KEY, 100);
    try (PullCluster hdfs = new PullCluster(conf, 1)) {
      Placed file = hdfs.write("idle", 64 << 10);
      long readsBefore = readsWhenQuiet(file);
      // Four turns of 16 KiB, 1.6 s apart.
      assertEquals(Outcome.DONE, pull(hdfs, file, grant(file.block(), file.first(), 10 << 10), newTurns()).getOutcome());
      Await.until("the source has counted its reads", Duration.ofSeconds(30), () -> reads(file) == readsBefore + 4,
          () -> reads(file) - readsBefore);
    }
  }

  @Test
  void sourceThatHangs_isNotTakenForOneThatWasLetPass() throws Exception {
    try (PullCluster hdfs = new PullCluster(new Configuration(), 1); ServerSocket silent = new ServerSocket(0)) {
      Placed file = hdfs.write("silent", 6 << 20);
      String pool = hdfs.cluster.getNamesystem().getBlockPoolId();
      try (TransferService service = new TransferService(new DataNodeAccess(file.target()), () -> 1, newTurns(), () -> { })) {
        GrantProto grant = grant(file.block(), file.first(), LINK);
        GrantProto hanging = grant.toBuilder().setSource(grant.getSource().toBuilder().setTransferPort(silent.getLocalPort())).build();
        service.obey(pool, List.of(hanging), System.nanoTime());
        try (Socket accepted = silent.accept()) {
          assertTrue(accepted.getInputStream().read() >= 0);
          // Longer than what is achieved is measured over, twice.
          long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
          Await.until("that time is over", Duration.ofSeconds(60), () -> {
            assertEquals(0, service.status(pool).running().get(0).getAchievedBytesPerSec());
            return System.nanoTime() - endNanos >= 0;
          }, () -> "");
          service.obey(pool, List.of(grant), System.nanoTime());
          Await.until("the transfer has ended", Duration.ofSeconds(60), () -> !service.status(pool).finished().isEmpty(),
              () -> service.status(pool));
        }
      }
    }
  }

  /** To find out the block's id, the first byte was read in writing the file: the cluster's only read so far, counted when its connection ends. */
  private static long readsWhenQuiet(Placed file) throws Exception {
    Await.until("the read of the first byte is counted", Duration.ofSeconds(30), () -> reads(file.first()) + reads(file.second()) == 1,
        () -> "");
    return reads(file);
  }

  private static long reads(Placed file) {
    return reads(file.first());
  }

  private static long reads(DataNode node) {
    return MetricsAsserts.getLongCounter("BlocksRead", MetricsAsserts.getMetrics(node.getMetrics().name()));
  }

  @Test
  void idleConnectionThatTheSourceEnds_isMadeAnew() throws Exception {
    Configuration conf = new Configuration();
    conf.setInt(DFSConfigKeys.DFS_DATANODE_SOCKET_REUSE_KEEPALIVE_KEY, 100);
    try (PullCluster hdfs = new PullCluster(conf, 1)) {
      Placed file = hdfs.write("slow", 256 << 10);
      // A turn of 16 KiB each quarter of a second.
      FinishedTransferProto end = pull(hdfs, file, grant(file.block(), file.first(), 64 << 10), newTurns());
      assertEquals(Outcome.DONE, end.getOutcome(), end::toString);
      assertTrue(end.getMessage().isEmpty());
      assertSameFiles(file.block(), file.first(), file.target());
    }
  }

  private static GrantProto grantWithAlternate(Placed file, SourceProto alternate) {
    return grant(file.block(), file.first(), LINK).toBuilder().addAlternates(alternate).build();
  }

  /** Pulls a block whose turns are all promised by the other node that has it, as long as that one is asked. */
  private static FakeSourceTurns pullFromAlternate(PullCluster hdfs, Placed file, SourceProto alternate) throws Exception {
    FakeSourceTurns agents = new FakeSourceTurns(Answer.YES);
    agents.lastPromises(true);
    FinishedTransferProto end = pull(hdfs, file, grantWithAlternate(file, alternate), newTurns(agents, 0.75));
    assertEquals(Outcome.DONE, end.getOutcome(), end::toString);
    assertEquals(file.block().getNumBytes(), end.getSourceCountedBytes());
    assertSameFiles(file.block(), file.first(), file.target());
    return agents;
  }

  private static long turnsOf(FakeSourceTurns agents, SourceProto source) {
    return Stream.concat(agents.toldSoon().stream(), agents.told().stream())
        .filter(told -> told.source().equals(source.getDatanodeUuid()) && told.bytes() > 0).count();
  }

  @Test
  void turns_mayAllBeThoseOfTheOtherNodeThatHasTheBlock() throws Exception {
    try (PullCluster hdfs = new PullCluster(new Configuration(), 1)) {
      Placed file = hdfs.write("other", 6 << 20);
      FakeSourceTurns agents = pullFromAlternate(hdfs, file, source(file.second()));
      assertEquals(0, turnsOf(agents, source(file.first())));
      assertTrue(turnsOf(agents, source(file.second())) > 1, () -> agents.told() + " " + agents.toldSoon());
    }
  }

  @Test
  void alternateThatCannotBeReached_isDoneWithout() throws Exception {
    try (PullCluster hdfs = new PullCluster(new Configuration(), 1); ServerSocket refusing = new ServerSocket(0)) {
      Placed file = hdfs.write("refuses", 6 << 20);
      SourceProto alternate = source(file.second()).toBuilder().setTransferPort(refusing.getLocalPort()).build();
      refusing.close();
      assertTurnsAreThoseOfTheFirst(file, alternate, pullFromAlternate(hdfs, file, alternate));
    }
  }

  @Test
  void alternateThatHangs_isDoneWithout() throws Exception {
    try (PullCluster hdfs = new PullCluster(new Configuration(), 1); ServerSocket silent = new ServerSocket(0)) {
      Placed file = hdfs.write("hangs", 6 << 20);
      SourceProto alternate = source(file.second()).toBuilder().setTransferPort(silent.getLocalPort()).build();
      assertTurnsAreThoseOfTheFirst(file, alternate, pullFromAlternate(hdfs, file, alternate));
    }
  }

  private static void assertTurnsAreThoseOfTheFirst(Placed file, SourceProto alternate, FakeSourceTurns agents) {
    assertEquals(List.of(new FakeSourceTurns.Told(alternate.getDatanodeUuid(), agents.asked().get(0).turn(), 0)), agents.told().stream()
        .filter(told -> told.source().equals(alternate.getDatanodeUuid())).toList(), "its only turn brought nothing");
    assertTrue(turnsOf(agents, source(file.first())) > 1);
  }

  @Test
  void sourceThatEndsItsConnectionWhileOthersSend_isAskedTurnByTurnAgain() throws Exception {
    Configuration conf = new Configuration();
    conf.setInt(DFSConfigKeys.DFS_DATANODE_SOCKET_REUSE_KEEPALIVE_KEY, 1_000);
    try (PullCluster hdfs = new PullCluster(conf, 1)) {
      Placed file = hdfs.write("meanwhile", 256 << 10);
      FakeSourceTurns agents = new FakeSourceTurns(Answer.YES);
      // Turns of 32 KiB, half a second apart: so the first source is idle for two seconds or more.
      agents.meanwhile(() -> agents.lastPromises(agents.asked().size() > 1 && agents.asked().size() < 6));
      GrantProto grant = grantWithAlternate(file, source(file.second())).toBuilder().setRateBytesPerSec(64 << 10).build();
      assertEquals(Outcome.DONE, pull(hdfs, file, grant, newTurns(agents, 0)).getOutcome());
      assertSameFiles(file.block(), file.first(), file.target());
      assertTrue(agents.asked().size() > 6, () -> agents.asked().toString());
      assertTrue(agents.asked().stream().allMatch(asked -> asked.sources().size() == 2), () -> agents.asked().toString());
    }
  }

  @Test
  void alternateThatIsCorrupt_isReportedAndWhatIsGoodIsKept() throws Exception {
    try (PullCluster hdfs = new PullCluster(new Configuration(), 1)) {
      Placed file = hdfs.write("corrupt", 6 << 20);
      hdfs.corrupt(file.block(), file.second(), 5 << 20);
      FakeSourceTurns agents = pullFromAlternate(hdfs, file, source(file.second()));
      assertTrue(turnsOf(agents, source(file.first())) >= 1);
      assertTrue(turnsOf(agents, source(file.second())) >= 1);
      hdfs.awaitKnownCorrupt(file, file.second());
    }
  }
}
