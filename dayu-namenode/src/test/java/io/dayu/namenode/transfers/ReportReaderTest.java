/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.CommitResult;
import io.dayu.blocks.GroupFixture;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.TransferRequest;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.exchange.AgentReport;
import io.dayu.namenode.exchange.FinishedTransfer;
import io.dayu.namenode.exchange.FinishedTransfer.Outcome;
import io.dayu.namenode.exchange.GroupSpec;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.RunningTransfer;
import io.dayu.namenode.exchange.SourceAddress;
import io.dayu.namenode.exchange.VerifiedReplica;
import io.dayu.namenode.status.FailureCause;
import io.dayu.namenode.transfers.EndedTransfer.Result;
import io.dayu.namenode.transfers.ReportReader.ReportResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What reports of agents change. The transfers go to the DataNode "x"; all agents are on one host. */
class ReportReaderTest {
  private static final long ACTIVATION = 5;
  private static final long NOW_NS = ClockStart.NS;
  private static final CommitResult COMMITTED = CommitResult.committed("s", "DISK");

  private final AgentRegistry<AgentState> agents = new AgentRegistry<>(AgentState::new);
  private final AgentUpdates updates = new AgentUpdates(agents);
  private final TransferTracker tracker = new TransferTracker(updates);
  private final AvoidedNodes avoided = new AvoidedNodes(uuid -> "address of " + uuid, () -> 100);
  private int resumed;
  private final ReportReader reader = new ReportReader(tracker, updates, avoided, uuid -> "10.0.0.1", () -> resumed++);

  @BeforeEach
  void activate() {
    updates.activate(ACTIVATION);
    tracker.activate(ACTIVATION);
    for (String uuid : List.of("x", "a", "b", "n0", "n1", "n2")) {
      agents.register(uuid, NOW_NS);
      read(uuid, report());
    }
    told();
  }

  /** What an agent reports that has nothing to say. */
  private static AgentReport report() {
    return report(List.of());
  }

  private static AgentReport report(List<FinishedTransfer> finished, RunningTransfer... running) {
    return new AgentReport(1, 1, null, List.of(running), finished, 0, 0, List.of());
  }

  private static AgentReport obeyed(long activation, long sequence) {
    return new AgentReport(1, 1, null, List.of(), List.of(), activation, sequence, List.of());
  }

  private ReportResult read(String uuid, AgentReport report) {
    return reader.read(agents.get(uuid), report, NOW_NS);
  }

  /** The agents that get new commands; then all have them. */
  private List<String> told() {
    List<String> told = updates.changed();
    told.forEach(updates::published);
    return told;
  }

  /** A copy of another block each time, of which its target has been told. */
  private Attempt copy(String... sources) {
    long block = tracker.all().size() + 1;
    Attempt attempt = tracker.grant(new TransferRequest(new BlockKey(block, 1), 100, 2, sources[0], "x", 1),
        waitingBlock(block).on(sources).build(), COMMITTED, 10, NOW_NS);
    told();
    updates.takeSequence();
    return attempt;
  }

  /** A rebuild of the last internal block from two of the others, which are on n0 to n3. */
  private Attempt rebuild() {
    Attempt attempt = tracker.grant(
        new TransferRequest(new BlockKey(GroupFixture.GROUP_ID, 1), GroupFixture.BYTES, 1, "n0", "x", 1,
            new GroupTransfer(GroupFixture.RS_3_2, GroupFixture.GROUP_BYTES, 4,
                List.of(new IndexedNode("n0", 0), new IndexedNode("n1", 1)))),
        GroupFixture.lost(GroupFixture.GROUP_ID, 1, 4), COMMITTED, 10, NOW_NS);
    told();
    return attempt;
  }

  private static RunningTransfer running(Attempt attempt, String failedSource, String... sources) {
    List<SourceAddress> addresses =
        Arrays.stream(sources).map(source -> new SourceAddress(source, "10.0.0.1", "h", 9866)).toList();
    RunningTransfer.Rebuild rebuild = !attempt.rebuilds() ? null : new RunningTransfer.Rebuild(
        new GroupSpec(GroupFixture.RS_3_2, GroupFixture.GROUP_BYTES), addresses.subList(1, addresses.size()), null, 0);
    return new RunningTransfer(attempt.id(), attempt.block(), attempt.request().numBytes(), addresses.get(0), "DISK",
        50, 10, 9, failedSource, "", rebuild);
  }

  private static FinishedTransfer finished(Attempt attempt, Outcome outcome, String failedSource) {
    return new FinishedTransfer(attempt.id(), outcome, failedSource, "a test", 60);
  }

  private static List<String> sources(Attempt attempt) {
    return attempt.sources().stream().map(TransferSource::node).toList();
  }

  /** Whether plans take the node for a source that has failed. */
  private boolean hasFailed(String uuid) {
    return avoided.planned(LiveNodeFixture.liveNode(uuid, "10.0.0.1", uuid, 9866, "/rack", true, new long[6],
        new int[6]), NOW_NS).status().sourceFailed();
  }

  /** The replicas that a DataNode is to check. */
  private List<BlockKey> suspects(String uuid) {
    List<BlockKey> suspects = new ArrayList<>();
    agents.get(uuid).suspects.forEach((block, numBytes) -> suspects.add(block));
    return suspects;
  }

  @Test
  void firstReportOfAnActivation_bringsWhatIsToBeAdopted_andItsAgentIsTold() {
    Attempt known = copy("a");
    RunningTransfer unknown = running(AttemptFixture.running(99, known.request()), null, "a");
    agents.register("new", NOW_NS);
    assertEquals(List.of(unknown), read("new", report(List.of(), unknown)).unknown());
    assertEquals(List.of("new"), told());
    assertEquals(List.of(), read("new", report(List.of(), unknown)).unknown());
    assertEquals(List.of(), told());
  }

  @Test
  void agentThatWasRestarted_isToldAnew_andHasForgottenItsTransfers() {
    Attempt attempt = copy("a");
    AgentReport restarted = new AgentReport(2, 1, null, List.of(), List.of(), 0, 0, List.of());
    assertEquals(
        List.of(new EndedTransfer(attempt, Result.FAILED, FailureCause.AGENT, "its agent was restarted", false)),
        read("x", restarted).ended());
    assertEquals(List.of("x"), told());
    assertEquals(List.of(), read("x", restarted).ended());
    assertEquals(List.of(), told());
  }

  @Test
  void transferThatAnAgentLacks_thoughItHasObeyed_isAFailure_unlessCancelled() {
    Attempt lacking = copy("a");
    assertEquals(List.of(), read("x", obeyed(ACTIVATION, lacking.sequence() - 1)).ended());
    assertEquals(List.of(), read("x", obeyed(ACTIVATION - 1, lacking.sequence())).ended());
    assertEquals(
        List.of(new EndedTransfer(lacking, Result.FAILED, FailureCause.AGENT, "its agent does not have it", true)),
        read("x", obeyed(ACTIVATION, lacking.sequence())).ended());
    Attempt cancelled = copy("a");
    tracker.cancel(cancelled, "a test", NOW_NS);
    assertEquals(List.of(new EndedTransfer(cancelled, Result.WITHDRAWN, null, null, false)),
        read("x", obeyed(ACTIVATION, cancelled.sequence())).ended());
  }

  @Test
  void agentsWithOneMeter_areToldHowManyTheyAre_once() {
    NodeLoad load = new NodeLoad(new NodeLoad.Link(1_000, 0), new NodeLoad.Link(1_000, 0), 1, 1,
        new NodeLoad.SharedMeter(7, 1_000, 0, 0));
    AgentReport report = new AgentReport(1, 1, load, List.of(), List.of(), 0, 0, List.of());
    read("a", report);
    assertEquals(List.of(), told());
    read("b", report);
    assertEquals(List.of("b"), told());
    read("a", report);
    assertEquals(List.of("a"), told());
    assertEquals(500, agents.get("a").load.in().capacityBytesPerSec());
    assertEquals(1_000, agents.get("a").reportedLoad.in().capacityBytesPerSec());
    read("a", report);
    assertEquals(List.of(), told());
  }

  @Test
  void agentIsConfirmed_onceItHasObeyedThisActivation() {
    AgentState agent = agents.get("x");
    read("x", obeyed(ACTIVATION - 1, 9));
    assertFalse(agent.confirmed);
    read("x", obeyed(ACTIVATION, 0));
    assertTrue(agent.confirmed);
    read("x", obeyed(ACTIVATION - 1, 9));
    assertTrue(agent.confirmed, "this report was late");
  }

  @Test
  void sourceIsNamedItsSuspectReplica_untilItHasObeyed() {
    Attempt attempt = copy("a");
    updates.suspect(attempt, attempt.sources().get(0));
    assertEquals(List.of("a"), told());
    long sequence = updates.takeSequence();
    read("a", obeyed(ACTIVATION - 1, sequence));
    read("a", obeyed(ACTIVATION, sequence - 1));
    assertEquals(List.of(), told());
    assertEquals(List.of(attempt.block()), suspects("a"));
    read("a", obeyed(ACTIVATION, sequence));
    assertEquals(List.of("a"), told());
    assertEquals(List.of(), suspects("a"));
  }

  @Test
  void resultsOfVerifications_areNoted() {
    BlockKey block = new BlockKey(7, 1);
    updates.verify("a", block, 100);
    read("a", report());
    assertNull(updates.verified("a", block));
    read("a", new AgentReport(1, 1, null, List.of(), List.of(), 0, 0, List.of(new VerifiedReplica(block, true))));
    assertEquals(true, updates.verified("a", block));
  }

  @Test
  void endedTransfers_areAcknowledged_untilTheAgentReportsThemNoLonger() {
    Attempt first = copy("a");
    Attempt second = copy("a");
    read("x", report(List.of(finished(first, Outcome.DONE, null)), running(second, null, "a")));
    assertEquals(List.of(first.id()), agents.get("x").acknowledged());
    assertTrue(updates.hasOnlyEnded("x"));
    assertEquals(List.of("x"), told());
    read("x", report(List.of(), running(second, null, "a")));
    assertEquals(List.of(), agents.get("x").acknowledged());
    assertEquals(List.of(), told(), "its grants have not changed, and to acknowledge too much does no harm");
    read("x", report(List.of(finished(second, Outcome.DONE, null))));
    assertEquals(List.of(second.id()), agents.get("x").acknowledged());
    assertEquals(List.of("x"), told());
    read("x", report());
    assertEquals(List.of(), agents.get("x").acknowledged());
    assertEquals(List.of("x"), told(), "without grants it would wait for no answer");
    read("x", report());
    assertEquals(List.of(), told());
  }

  @Test
  void endIsAcknowledged_thoughAnotherWasBefore() {
    Attempt first = copy("a");
    Attempt second = copy("a");
    read("x", report(List.of(finished(first, Outcome.DONE, null)), running(second, null, "a")));
    read("x", report(List.of(finished(second, Outcome.DONE, null))));
    assertEquals(List.of(second.id()), agents.get("x").acknowledged());
  }

  @Test
  void sourceThatAnAgentHasLeftForAnother_isToCheckItsReplica_andHasFailed() {
    Attempt attempt = copy("a", "b");
    assertEquals(List.of(), read("x", report(List.of(), running(attempt, "a", "b"))).ended());
    assertEquals("b", attempt.source());
    assertEquals(1, resumed);
    assertFalse(tracker.needsPlan());
    assertTrue(hasFailed("a"));
    assertFalse(hasFailed("b"));
    assertEquals(List.of(attempt.block()), suspects("a"));
    assertEquals(Set.of("a", "x"), Set.copyOf(told()));
  }

  @Test
  void sourceThatFails_withoutAnother_isLost_andAPlanIsNeeded() {
    Attempt attempt = copy("a", "b");
    read("x", report(List.of(), running(attempt, "a", "a")));
    assertTrue(attempt.sourceLost());
    assertEquals(0, resumed);
    assertTrue(tracker.needsPlan());
    assertTrue(hasFailed("a"));
    assertEquals(List.of(attempt.block()), suspects("a"));
    tracker.planned();
    read("x", report(List.of(), running(attempt, "a", "a")));
    assertFalse(tracker.needsPlan(), "nothing new");
  }

  @Test
  void agentThatHasLeftOneSource_andLostAnother_isFollowedInEach() {
    Attempt attempt = rebuild();
    read("x", report(List.of(), running(attempt, "n1", "n1", "n2")));
    assertEquals(List.of("n2", "n1"), sources(attempt));
    assertEquals(List.of(false, true), attempt.sources().stream().map(TransferSource::isLost).toList());
    assertEquals(1, resumed);
    assertTrue(tracker.needsPlan());
  }

  @Test
  void agentThatHasLeftSeveralSources_isFollowedInAll() {
    Attempt attempt = rebuild();
    read("x", report(List.of(), running(attempt, "n1", "n2", "n3")));
    assertEquals(List.of("n2", "n3"), sources(attempt).stream().sorted().toList());
    assertFalse(attempt.sourceLost());
    assertEquals(2, resumed);
  }

  @Test
  void copyThatFails_hasReceivedWhatItsAgentCounts_andItsSourceIsToCheckItsReplica() {
    Attempt attempt = copy("a");
    String why = "its agent reports SOURCE_FAILED: a test";
    assertEquals(List.of(new EndedTransfer(attempt, Result.FAILED, FailureCause.SOURCE, why, false)),
        read("x", report(List.of(finished(attempt, Outcome.SOURCE_FAILED, "a")))).ended());
    assertEquals(60, attempt.doneBytes());
    assertEquals(List.of(attempt.block()), suspects("a"));
    assertFalse(hasFailed("a"), "whose failure it is will be judged with the end of the transfer");
  }

  @Test
  void rebuildThatFails_isTheFailureOfTheSourceThatItsAgentNames() {
    Attempt attempt = rebuild();
    read("x", report(List.of(finished(attempt, Outcome.SOURCE_FAILED, "n0"))));
    assertEquals(30, attempt.doneBytes(), "its agent counts what both have sent");
    assertTrue(hasFailed("n0"));
    assertFalse(hasFailed("n1"));
    assertEquals(List.of(new BlockKey(GroupFixture.GROUP_ID, 1)), suspects("n0"));
  }

  @Test
  void rebuildThatFails_isNoFailureOfASourceLostBefore_orOfAnUnknownNode() {
    Attempt attempt = rebuild();
    tracker.loseSource(attempt, attempt.sources().get(0));
    read("x", report(List.of(finished(attempt, Outcome.SOURCE_FAILED, "n0"))));
    assertFalse(hasFailed("n0"));
    Attempt other = rebuild();
    read("x", report(List.of(finished(other, Outcome.SOURCE_FAILED, "a"))));
    assertFalse(hasFailed("a"));
    assertEquals(List.of(), suspects("a"), "it has no internal block of the group");
  }
}
