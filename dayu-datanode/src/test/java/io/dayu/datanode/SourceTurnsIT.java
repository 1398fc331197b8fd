/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.Setting;
import io.dayu.datanode.PullCluster.Placed;
import io.dayu.datanode.SourceTurns.Answer;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.test.GenericTestUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import static io.dayu.datanode.PullCluster.assertSameFiles;
import static io.dayu.datanode.PullCluster.grant;
import static io.dayu.datanode.PullCluster.source;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Turns asked for over the RPC servers of real DataNodes with our plugin, with authorization on. */
@Timeout(180)
class SourceTurnsIT {
  private static final long SEED = 20261122;
  private static final long LINK = BusyMeter.LINK;
  private static final int TURN = 100_000;
  private static final Duration SOON = Duration.ofSeconds(30);
  /** Of a transfer that the link could bring in a tenth of a second. */
  private static final int BYTES = 1_000_000;
  /** Of turns, and of askers, so that each turn is another. */
  private static final AtomicLong NUMBERS = new AtomicLong();

  private static PullCluster hdfs;
  private static String pool;
  private final RpcSourceTurns asker = asker();
  /** Numbers its turns by itself. */
  private final RpcSourceTurns transfers = asker();

  private static Configuration conf() {
    Configuration conf = new HdfsConfiguration();
    conf.set(DFSConfigKeys.DFS_DATANODE_PLUGINS_KEY, DayuDataNodePlugin.class.getName());
    conf.set(Setting.METER.key(), BusyMeter.class.getName());
    conf.setBoolean(CommonConfigurationKeys.HADOOP_SECURITY_AUTHORIZATION, true);
    return conf;
  }

  @BeforeAll
  static void startCluster() throws Exception {
    System.out.println("seed " + SEED);
    hdfs = new PullCluster(conf(), SEED);
    pool = hdfs.cluster.getNamesystem().getBlockPoolId();
  }

  @AfterAll
  static void stopCluster() {
    hdfs.close();
  }

  private static RpcSourceTurns asker() {
    return new RpcSourceTurns(() -> "asker", NUMBERS.incrementAndGet(), false, RpcSourceTurns.connector(new HdfsConfiguration()));
  }

  @AfterEach
  void calmDown() {
    hdfs.cluster.getDataNodes().forEach(node -> BusyMeter.of(node).busy(false));
    asker.close();
    transfers.close();
  }

  private static SourceProto anySource() {
    return source(hdfs.cluster.getDataNodes().get(0));
  }

  private Answer ask(SourceProto source, LinkTurns.Need need) throws InterruptedException {
    return asker.ask(List.of(source), NUMBERS.incrementAndGet(), need, 0, TURN).answer();
  }

  /** Asks until the answer is this one; turns that are given meanwhile end at once. */
  private void awaitAnswer(Answer expected, SourceProto source) throws Exception {
    Await.until("the source says " + expected, SOON, () -> {
      Answer answer = ask(source, LinkTurns.Need.DUE);
      assertNotEquals(Answer.NOBODY, answer);
      if (answer == Answer.YES) {
        asker.ended(source, NUMBERS.get(), 0);
      }
      return answer == expected;
    }, () -> "");
  }

  @Test
  void idleSource_grantsTurns() throws Exception {
    awaitAnswer(Answer.YES, anySource());
  }

  @Test
  void busySource_isWaitedForUntilItIsIdle_butNotByWhoIsOverdue() throws Exception {
    DataNode node = hdfs.cluster.getDataNodes().get(0);
    BusyMeter.of(node).busy(true);
    awaitAnswer(Answer.NO, source(node));
    assertEquals(Answer.YES, ask(source(node), LinkTurns.Need.OVERDUE));
    asker.ended(source(node), NUMBERS.get(), TURN);
    BusyMeter.of(node).busy(false);
    awaitAnswer(Answer.YES, source(node));
  }

  @Test
  void askerThatDiesWithItsTurns_keepsNobodyFromTheirs() throws Exception {
    try (RpcSourceTurns dying = asker()) {
      for (int i = 0; i < LinkTurns.MAX_TURNS; i++) {
        assertEquals(Answer.YES, dying.ask(List.of(anySource()), i, LinkTurns.Need.OVERDUE, 0, TURN).answer());
      }
    }
    awaitAnswer(Answer.YES, anySource());
  }

  /** Makes a node busy; when it is seen to be, it has been so for no more than half of the time after which that counts as a stream. */
  private long makeBusy(DataNode node) throws Exception {
    AtomicLong sinceNanos = new AtomicLong();
    Await.until("the node is seen to be busy at once", SOON, () -> {
      BusyMeter.of(node).busy(false);
      awaitAnswer(Answer.YES, source(node));
      sinceNanos.set(System.nanoTime());
      BusyMeter.of(node).busy(true);
      awaitAnswer(Answer.NO, source(node));
      return System.nanoTime() - sinceNanos.get() < LinkTurns.STREAM_NANOS / 2;
    }, () -> "");
    return sinceNanos.get();
  }

  @Test
  void transfer_waitsForItsBusySourceAndGoesOnWhenThatIsIdle() throws Exception {
    Placed file = hdfs.write("busy", BYTES);
    long busySinceNanos = makeBusy(file.first());
    YieldingTurns turns = new YieldingTurns(new FixedMeter(), LINK, () -> 0.75, transfers);
    try (TransferService service = service(file.target(), turns)) {
      GrantProto grant = grant(file.block(), file.first(), 10 * BYTES);
      service.obey(pool, List.of(grant), System.nanoTime());
      // A transfer that need not wait would be there in a tenth of a second.
      Await.until("that time is over", SOON, () -> {
        TransferService.Status status = service.status(pool);
        boolean over = System.nanoTime() - busySinceNanos >= 0.6 * LinkTurns.STREAM_NANOS;
        assertTrue(over || status.finished().isEmpty() && status.running().get(0).getDoneBytes() <= BYTES / 2, status::toString);
        return over;
      }, () -> "");
      BusyMeter.of(file.first()).busy(false);
      assertDone(service, file);
    }
  }

  @Test
  void bytesOfTurns_areCountedByTheSourceAndSaidToBeSo() throws Exception {
    Placed file = hdfs.write("counted", BYTES);
    try (TransferService service = service(file.target(), new YieldingTurns(new FixedMeter(), LINK, () -> 0.75, transfers))) {
      service.obey(pool, List.of(grant(file.block(), file.first(), LINK)), System.nanoTime());
      assertEquals(BYTES, assertDone(service, file).getSourceCountedBytes());
    }
  }

  @Test
  void sourceThatDoesNotYield_isReadAsOneWithoutAnAgent() throws Exception {
    Configuration conf = conf();
    conf.set(Setting.TRANSFER_YIELD.key(), "false");
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, GenericTestUtils.getTestDir("unasked").getPath());
    try (PullCluster unasked = new PullCluster(conf, SEED)) {
      Placed file = unasked.write("unasked", BYTES);
      String otherPool = unasked.cluster.getNamesystem().getBlockPoolId();
      assertEquals(Answer.NOBODY, ask(source(file.first()), LinkTurns.Need.DUE));
      try (TransferService service = service(file.target(), new YieldingTurns(new FixedMeter(), LINK, () -> 0.75, transfers))) {
        service.obey(otherPool, List.of(grant(file.block(), file.first(), LINK)), System.nanoTime());
        assertEquals(0, assertDone(service, file).getSourceCountedBytes());
      }
    }
  }

  private static TransferService service(DataNode target, Turns turns) throws ReflectiveOperationException {
    return new TransferService(new DataNodeAccess(target), () -> 1, turns, () -> { });
  }

  private static FinishedTransferProto assertDone(TransferService service, Placed file) throws Exception {
    String blockPool = file.block().getBlockPoolId();
    Await.until("the transfer has ended", SOON, () -> !service.status(blockPool).finished().isEmpty(), () -> service.status(blockPool));
    FinishedTransferProto end = service.status(blockPool).finished().get(0);
    assertEquals(Outcome.DONE, end.getOutcome(), end::toString);
    assertSameFiles(file.block(), file.first(), file.target());
    return end;
  }
}
