/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.PullCluster.Placed;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import static io.dayu.datanode.PullCluster.assertSameFiles;
import static io.dayu.datanode.PullCluster.grant;
import static io.dayu.datanode.PullCluster.source;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** All that holds for transfers holds for those that yield; and what holds where an alternate gives the turns. */
class YieldingTransferIT extends TransferIT {
  private static final long LINK = 100_000_000;

  private FakeSourceTurns agents = new FakeSourceTurns(SourceTurns.Answer.NOBODY);

  @Override
  Turns newTurns() {
    return new YieldingTurns(new FixedMeter(), LINK, () -> 0.75, agents);
  }

  /** From now on alternates promise each turn, and once, in the midst of the first one, this happens. */
  private void alternatesPromise(Runnable inTheMidst) {
    agents = new FakeSourceTurns(SourceTurns.Answer.YES);
    agents.lastPromises(true);
    agents.midTurn(() -> {
      agents.midTurn(() -> { });
      inTheMidst.run();
    });
  }

  private static GrantProto grantWithAlternate(Placed file, long rateBytesPerSec) {
    return grant(file.block(), file.first(), rateBytesPerSec).toBuilder().addAlternates(source(file.second())).build();
  }

  private void assertAlwaysAsked(DataNode alternate) {
    assertTrue(agents.asked().stream().allMatch(asked -> asked.sources().contains(alternate.getDatanodeUuid())),
        () -> "nothing is held against the alternate: " + agents.asked());
  }

  @Test
  void otherRateDuringAnAlternatesTurn_isTakenAndTheTurnGoesOn() throws Exception {
    Placed file = hdfs.write("alternate-rate", LARGE);
    GrantProto grant = grantWithAlternate(file, SLOW);
    // At the old rate this would take a minute and a half.
    alternatesPromise(() -> obey(services().get(0), grant.toBuilder().setRateBytesPerSec(FAST).build()));
    TransferService service = service(file.target());
    obey(service, grant);
    assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    assertEquals(LARGE, end(service, grant).getSourceCountedBytes());
    assertEquals(LARGE, service.receivedBytes());
    assertAlwaysAsked(file.second());
    assertEquals(List.of(), agents.told(), "no turn has ended before its time");
    assertSameFiles(file.block(), file.first(), file.target());
  }

  @Test
  void otherSourceDuringAnAlternatesTurn_breaksItOffAndIsNoFaultOfTheAlternates() throws Exception {
    Placed file = hdfs.write("alternate-source", LARGE);
    GrantProto grant = grantWithAlternate(file, FAST);
    // The same node by another name is another source.
    GrantProto other = grant.toBuilder().setSource(grant.getSource().toBuilder().setHostName("elsewhere.example")).build();
    AtomicLong atPlan = new AtomicLong();
    AtomicLong atNextTurn = new AtomicLong();
    alternatesPromise(() -> {
      obey(services().get(0), other);
      atPlan.set(services().get(0).receivedBytes());
      agents.meanwhile(() -> atNextTurn.compareAndSet(0, services().get(0).receivedBytes()));
    });
    TransferService service = service(file.target());
    obey(service, grant);
    assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    assertTrue(atPlan.get() > 0 && atPlan.get() < agents.asked().get(0).bytes(), () -> "in the midst of the turn: " + atPlan);
    assertEquals(atPlan.get(), atNextTurn.get(), "nothing more comes over what is broken off");
    assertEquals(LARGE, service.receivedBytes(), "no byte was pulled twice");
    assertAlwaysAsked(file.second());
    assertSameFiles(file.block(), file.first(), file.target());
  }
}
