/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.conf.Settings;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** {@link UnproductiveTargets} that are asked once a second. Blocks have 1000 bytes. */
class UnproductiveTargetsTest {
  private static final long SEC = 1_000_000_000;
  private static final long MIN_SEC = UnproductiveTargets.MIN_NS / SEC;

  private final AgentRegistry<AgentState> agents = new AgentRegistry<>(AgentState::new);
  private final List<Attempt> attempts = new ArrayList<>();
  private final List<Attempt> givenUp = new ArrayList<>();
  private final Set<BlockKey> haveLeft = new HashSet<>();
  private final UnproductiveTargets targets;
  private long nowSec = -7;

  UnproductiveTargetsTest() throws Exception {
    targets = new UnproductiveTargets(agents, Settings.read(new Configuration(false)), haveLeft::contains);
    List.of("a", "b", "t", "u").forEach(uuid -> agents.register(uuid, 0));
  }

  /** The DataNode has a link of 1000 bytes/s, 120 of which are B_min, and its disks take this; 0 if all of it. */
  private void disks(String uuid, long bytesPerSec) {
    agents.get(uuid).load = new NodeLoad(new Link(1000, 0), new Link(1000, 0), 1, 2).withDisks(bytesPerSec);
  }

  private Attempt transfer(String source, String target, long rateBytesPerSec) {
    Attempt attempt = AttemptFixture.running(attempts.size(),
        new TransferRequest(new BlockKey(attempts.size(), 1), 1000, 0, source, target, 1), rateBytesPerSec);
    attempts.add(attempt);
    return attempt;
  }

  private Set<String> found(long seconds) {
    Set<String> found = new LinkedHashSet<>();
    for (long i = 0; i < seconds; i++) {
      // As a liar has it.
      attempts.forEach(attempt -> attempt.stoppedAt(Math.min(999, attempt.doneBytes() + 10)));
      targets.find(attempts, nowSec++ * SEC).forEach((target, transfers) -> {
        found.add(target);
        givenUp.addAll(transfers);
      });
    }
    return found;
  }

  @Test
  void targetThatCompletesNothing_isFound_howeverItSaysThatItGetsOn() {
    transfer("a", "t", 100);
    transfer("b", "t", 100);
    assertEquals(Set.of(), found(MIN_SEC));
    assertEquals(Set.of("t"), found(1));
    assertEquals(Set.of(), found(MIN_SEC - 1), "it counts anew");
  }

  @Test
  void targetThatCompletesSomething_isNotFound() {
    transfer("a", "t", 100);
    transfer("b", "t", 100);
    for (int i = 0; i < 10; i++) {
      assertEquals(Set.of(), found(MIN_SEC - 1));
      targets.confirmed("a", "t", nowSec * SEC);
    }
  }

  @Test
  void targetThatWasGrantedLittle_hasTime() {
    transfer("a", "t", 10);
    transfer("b", "t", 10);
    assertEquals(Set.of(), found(300));
    assertEquals(Set.of("t"), found(1));
  }

  @Test
  void targetWhoseDisksTakeLittle_hasTime_forWhatTheyTake() {
    transfer("a", "t", 100);
    transfer("b", "t", 100);
    disks("t", 20);
    assertEquals(Set.of(), found(300));
    assertEquals(Set.of("t"), found(1));
  }

  private void highestRisk(String source, String target, long rateBytesPerSec) {
    BlockKey block = new BlockKey(attempts.size(), 1);
    attempts.add(AttemptFixture.granted(attempts.size(), new TransferRequest(block, 1000, 0, source, target, 1),
        waitingBlock(block).bytes(1000).on(source).storageTypes(1).build(), rateBytesPerSec));
  }

  /** Plans give it what its disks take, so the rates are no measure; nor do the others delay what goes first. */
  @Test
  void targetThatHoldsTheHighestRisk_hasNoMoreTime_byItsWordOnItsDisks() {
    highestRisk("a", "t", 10);
    for (int i = 0; i < 10; i++) {
      transfer("b", "t", 1);
    }
    disks("t", 20);
    disks("u", 0);
    disks("a", 0);
    assertEquals(Set.of(), found(MIN_SEC));
    targets.confirmed("a", "u", nowSec * SEC);
    assertEquals(Set.of("t"), found(1));
    assertEquals(attempts.subList(0, 1), givenUp, "the others go on");
  }

  /** What does not go first has other sources, and may wait for whatever reason. */
  @Test
  void onlySourceOfTheHighestRisk_mayBeTheReason_unlessItServesOthers() {
    highestRisk("a", "t", 10);
    transfer("b", "t", 1);
    disks("t", 20);
    disks("u", 0);
    disks("a", 0);
    assertEquals(Set.of(), found(300));
    targets.confirmed("a", "u", nowSec * SEC);
    assertEquals(Set.of("t"), found(1));
    assertEquals(attempts.subList(0, 1), givenUp);
  }

  @Test
  void severalSourcesOfTheHighestRisk_areNotTheReason() {
    highestRisk("a", "t", 10);
    highestRisk("b", "t", 10);
    disks("t", 20);
    disks("u", 0);
    disks("a", 0);
    assertEquals(Set.of(), found(50));
    assertEquals(Set.of("t"), found(1), "three times 2000 bytes");
    assertEquals(attempts, givenUp);
  }

  /** What its disks had before was not granted to the transfer that comes only now. */
  @Test
  void transferAtTheHighestRisk_thatJoinsOthers_hasItsOwnTime() {
    transfer("a", "t", 100);
    transfer("b", "t", 100);
    disks("t", 20);
    disks("u", 0);
    disks("a", 0);
    assertEquals(Set.of(), found(200));
    highestRisk("a", "t", 10);
    assertEquals(Set.of(), found(25));
    highestRisk("b", "t", 10);
    targets.confirmed("a", "u", nowSec * SEC);
    assertEquals(Set.of(), found(25), "three times 2000 bytes are more");
    assertEquals(Set.of("t"), found(1));
    assertEquals(attempts.subList(2, 3), givenUp, "the others go on");
    attempts.remove(2);
    targets.confirmed("b", "u", nowSec * SEC);
    assertEquals(Set.of(), found(4));
    assertEquals(Set.of("t"), found(1));
    assertEquals(attempts.subList(2, 3), givenUp.subList(1, 2));
  }

  @Test
  void blockAtTheHighestRisk_thatHasLeftATarget_waitsForSlowDisks() {
    highestRisk("a", "t", 10);
    highestRisk("b", "t", 10);
    attempts.forEach(attempt -> haveLeft.add(attempt.block()));
    disks("t", 20);
    disks("u", 0);
    disks("a", 0);
    assertEquals(Set.of(), found(300));
    assertEquals(Set.of("t"), found(1));
    assertEquals(attempts, givenUp);
  }

  @Test
  void targetThatHoldsTheHighestRisk_isGrantedNothing_whileItIsPaused() {
    highestRisk("a", "t", 0);
    transfer("b", "t", 0);
    disks("t", 20);
    disks("u", 0);
    disks("a", 0);
    assertEquals(Set.of(), found(10 * MIN_SEC));
  }

  /** Another one would take as long, and begin anew. */
  @Test
  void whereDisksAreTheLimitOfHalfOfTheNodes_theyAreBelieved_alsoForTheHighestRisk() {
    highestRisk("a", "t", 10);
    transfer("b", "t", 10);
    disks("t", 20);
    disks("u", 20);
    disks("a", 0);
    disks("b", 0);
    assertEquals(Set.of(), found(300));
    assertEquals(Set.of("t"), found(1));
  }

  @Test
  void onlySource_mayBeTheReason_unlessItServesOthers() {
    transfer("a", "t", 200);
    assertEquals(Set.of(), found(10 * MIN_SEC));
    targets.confirmed("a", "other", nowSec * SEC);
    assertEquals(Set.of("t"), found(1));
  }

  /** The first one may wait for its slow source still. */
  @Test
  void sourceThatHasJoined_provesNothing_beforeItHasHadItsTime() {
    transfer("a", "t", 100);
    assertEquals(Set.of(), found(10 * MIN_SEC));
    transfer("b", "t", 100);
    assertEquals(Set.of(), found(MIN_SEC - 1));
    assertEquals(Set.of("t"), found(1));
  }

  /** What it has sent to this target counts from the same moment as what the target was granted. */
  @Test
  void onlySource_thatHasServedOthersOnlyBefore_mayBeTheReason() {
    transfer("a", "t", 200);
    found(20);
    targets.confirmed("a", "other", nowSec * SEC);
    found(1);
    targets.confirmed("b", "t", nowSec * SEC);
    assertEquals(Set.of(), found(2 * MIN_SEC));
    targets.confirmed("a", "t", nowSec * SEC);
    assertEquals(Set.of(), found(2 * MIN_SEC));
  }

  @Test
  void transfersWithoutSource_andThoseThatHaveEnded_areNotGrantedAnything() {
    loseSource(transfer("a", "t", 100));
    loseSource(transfer("b", "t", 100));
    transfer("c", "u", 100).received(nowSec * SEC);
    assertEquals(Set.of(), found(10 * MIN_SEC));
  }

  /** What waits for another source is not granted anything, but is part of what the target has under way. */
  @Test
  void transferWithoutSource_isWaitedFor() {
    transfer("a", "t", 100);
    transfer("b", "t", 100);
    loseSource(transfer("c", "t", 100));
    assertEquals(Set.of(), found(45));
    assertEquals(Set.of("t"), found(1), "three times 3000 bytes");
  }

  @Test
  void timeInWhichTheLoopStoodStill_countsAsTwoSeconds() {
    transfer("a", "t", 100);
    transfer("b", "t", 100);
    found(1);
    nowSec += 39;
    assertEquals(Set.of(), found(28));
    assertEquals(Set.of("t"), found(1), "6000 bytes");
  }

  @Test
  void rebuild_hasSeveralSources() {
    List<IndexedNode> sources = List.of(new IndexedNode("a", 0), new IndexedNode("b", 1));
    attempts.add(AttemptFixture.rebuilding(0,
        new TransferRequest(new BlockKey(-16, 1), 1000, 0, "a", "t", 1, new GroupTransfer(null, 0, 2, sources)), 200));
    assertEquals(Set.of(), found(MIN_SEC));
    assertEquals(Set.of("t"), found(1));
  }

  @Test
  void targetsAreToldApart_inAnyOrderOfTransfers() {
    transfer("a", "t", 100);
    transfer("a", "u", 10);
    transfer("b", "t", 100);
    transfer("b", "u", 10);
    assertEquals(Set.of("t"), found(MIN_SEC + 1));
  }

  @Test
  void targetWithoutTransfers_isForgotten_andAllAreWhenAnActivationEnds() {
    transfer("a", "t", 100);
    transfer("b", "t", 100);
    found(MIN_SEC);
    List<Attempt> last = List.copyOf(attempts);
    attempts.clear();
    found(1);
    attempts.addAll(last);
    assertEquals(Set.of(), found(MIN_SEC));
    targets.clear();
    assertEquals(Set.of(), found(MIN_SEC));
    assertEquals(Set.of("t"), found(1));
  }

  private static void loseSource(Attempt attempt) {
    attempt.loseSource(attempt.slowestSource());
  }
}
