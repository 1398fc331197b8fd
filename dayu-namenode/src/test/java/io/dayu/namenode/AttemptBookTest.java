/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.PendingCheck.Standing;
import io.dayu.blocks.PendingCheck;
import io.dayu.blocks.TransferRequest;
import io.dayu.conf.Settings;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.DirectionsProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** An attempt from its grant to its end, with an agent played by hand and a block map that says what the test wants. */
final class AttemptBookTest {
  private static final long LEASE_NS = TimeUnit.SECONDS.toNanos(10);
  private static final long ACTIVATION = 1_000;
  private static final BlockKey BLOCK = new BlockKey(7, 1001);
  private static final TransferRequest REQUEST = new TransferRequest(BLOCK, 100, 2, "source", "target", 4);

  private final BlockManagerAccess blocks = mock(BlockManagerAccess.class);
  private final DayuStatus status = new DayuStatus();
  private final Ledger ledger = new Ledger(blocks);
  private final BlockHistory history = new BlockHistory();
  private final Map<String, LiveNode> nodes = new HashMap<>(Map.of("source", node("source"), "other", node("other"), "target", node("target")));
  private final List<PendingCheck> checks = new ArrayList<>();
  private AgentDesk desk;
  private AttemptBook book;
  private AgentState target;
  private long reportSequence;

  private static LiveNode node(String uuid) {
    return new LiveNode(uuid, "10.0.0.1", uuid + ".example", 9866, "/rack", true, new long[6], new int[6]);
  }

  @BeforeEach
  void startWithOneAgent() throws Exception {
    when(blocks.addressOf("target")).thenReturn("10.0.0.9");
    when(blocks.check(anyList())).thenAnswer(call -> {
      List<TransferRequest> asked = call.getArgument(0);
      return asked.isEmpty() ? List.of() : List.copyOf(checks);
    });
    desk = new AgentDesk(blocks, Settings.read(new Configuration(false)), "nn", null);
    book = new AttemptBook(blocks, Settings.read(new Configuration(false)), desk, ledger, status, history);
    book.activate(ACTIVATION);
    book.leaseNs(LEASE_NS);
    target = desk.register("target", 0);
    read(report(0), 0);
  }

  private ReportProto.Builder report(long obeyedSequence) {
    return ReportProto.newBuilder().setProtocolVersion(1).setBlockPoolId("bp").setDatanodeUuid("target").setAgentIncarnation(1)
        .setReportSequence(++reportSequence).setObeyedActivation(ACTIVATION).setObeyedSequence(obeyedSequence);
  }

  private void read(ReportProto.Builder report, long nowNs) {
    target.offer(report.build(), nowNs);
    book.read(target, target.takeReport(), nowNs);
    book.settle();
  }

  private DirectionsProto publish() {
    book.publish(nodes, "nn");
    return target.directions();
  }

  private static RunningTransferProto running(long attempt, String source, long doneBytes) {
    return RunningTransferProto.newBuilder().setAttempt(attempt)
        .setBlock(BlockSpecProto.newBuilder().setBlockId(7).setGenerationStamp(1001).setNumBytes(100))
        .setSource(SourceProto.newBuilder().setDatanodeUuid(source).setIpAddress("10.0.0.1").setHostName("h").setTransferPort(9866))
        .setStorageType("DISK").setDoneBytes(doneBytes).setRateBytesPerSec(10).setAchievedBytesPerSec(9).build();
  }

  private static FinishedTransferProto finished(long attempt, Outcome outcome) {
    return FinishedTransferProto.newBuilder().setAttempt(attempt).setOutcome(outcome).setBlockId(7).setMessage("why").build();
  }

  private Attempt grant() {
    book.grant(REQUEST, List.of("source"), CommitResult.committed("DS-1", "DISK"), 10);
    return book.all().iterator().next();
  }

  @Test
  void grant_isPublishedWithItsSource() {
    Attempt attempt = grant();
    DirectionsProto directions = publish();
    assertTrue(directions.getAuthoritative());
    assertEquals(1, directions.getGrantsCount());
    GrantProto grant = directions.getGrants(0);
    assertEquals(attempt.id, grant.getAttempt());
    assertEquals("source", grant.getSource().getDatanodeUuid());
    assertEquals(10, grant.getRateBytesPerSec());
  }

  @Test
  void grants_areInTheOrderInWhichTheAgentStartsThem() {
    List<TransferRequest> requests = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      requests.add(new TransferRequest(new BlockKey(100 + i, 1), 100, i % 3, "source", "target", 4));
    }
    requests.forEach(request -> book.grant(request, List.of("source"), CommitResult.committed("DS-1", "DISK"), 10));
    List<Long> started = publish().getGrantsList().stream().map(grant -> grant.getBlock().getBlockId()).toList();
    requests.sort(Comparator.comparingInt(TransferRequest::risk));
    assertEquals(requests.stream().map(request -> request.block().blockId()).toList(), started);
  }

  @Test
  void grant_mayExceedItsRateOnlyWhereItsSourceHasAnAgent() {
    LoadProto load = LoadProto.newBuilder().setCapacityInBytesPerSec(1000).setCapacityOutBytesPerSec(500).setForegroundInBytesPerSec(0)
        .setForegroundOutBytesPerSec(0).build();
    target.load = load;
    grant();
    assertFalse(publish().getGrants(0).hasMaxBytesPerSec());
    desk.register("source", 0).load = load;
    target.changed = true;
    assertEquals(450, publish().getGrants(0).getMaxBytesPerSec(), "0.9 of the slower link");
  }

  @Test
  void grant_namesOthersThatHaveTheBlockAndAnAgent() {
    target.load = LoadProto.newBuilder().setCapacityInBytesPerSec(1000).setCapacityOutBytesPerSec(1000).setForegroundInBytesPerSec(0)
        .setForegroundOutBytesPerSec(0).build();
    for (String name : List.of("source", "b", "c", "d", "e")) {
      nodes.put(name, node(name));
      desk.register(name, 0).load = target.load;
    }
    nodes.put("without-agent", node("without-agent"));
    desk.register("dead", 0);
    book.grant(REQUEST, List.of("without-agent", "dead", "b", "source", "c", "d"), CommitResult.committed("DS-1", "DISK"), 10);
    GrantProto grant = publish().getGrants(0);
    assertEquals("source", grant.getSource().getDatanodeUuid());
    assertEquals(List.of("b", "c"), grant.getAlternatesList().stream().map(SourceProto::getDatanodeUuid).toList(), "two are enough");

    Attempt attempt = book.all().iterator().next();
    attempt.loseSource();
    book.direct(attempt, "b", 10);
    assertEquals(List.of("c", "d"), publish().getGrants(0).getAlternatesList().stream().map(SourceProto::getDatanodeUuid).toList(),
        "neither the one that failed nor the one that the plan names");
  }

  @Test
  void reportOfBeforeTheActivation_saysNothingAboutIt() {
    target.offer(report(0).build(), 0);
    book.activate(ACTIVATION + 1);
    assertEquals(null, target.takeReport());
    assertFalse(target.adopted);
  }

  @Test
  void sourceThatDeliversAgain_isNoLongerLost() {
    Attempt attempt = grant();
    publish();
    read(report(1).addRunning(running(attempt.id, "source", 40).toBuilder().setFailedSourceUuid("source").setFailure("gone")), 0);
    assertTrue(attempt.sourceLost);
    read(report(1).addRunning(running(attempt.id, "source", 50)), 0);
    assertFalse(attempt.sourceLost);
    assertTrue(attempt.failedSources.isEmpty());
  }

  @Test
  void idsOfALaterActivation_areAboveThoseOfAnEarlierOne() {
    long first = grant().id;
    book.activate(ACTIVATION + 1);
    read(report(0), 0);
    assertTrue(grant().id > first);
  }
}
