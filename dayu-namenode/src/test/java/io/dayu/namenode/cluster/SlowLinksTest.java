/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.cluster;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AttemptFixture;
import io.dayu.namenode.transfers.ClockStart;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

/** Nodes a to d with links of 1,000 bytes/s in both directions, of which a is suspected. One observation a second. */
class SlowLinksTest {
  private static final long CAPACITY = 1_000;
  private static final long FOREGROUND = 50;
  private static final long WINDOW_SEC = TimeUnit.NANOSECONDS.toSeconds(SlowLinks.WINDOW_NS);
  private static final long SLOW_SEC = TimeUnit.NANOSECONDS.toSeconds(SlowLinks.SLOW_NS);

  private final SlowLinks links = new SlowLinks();
  private final List<AgentState> agents = new ArrayList<>();
  private final List<Attempt> attempts = new ArrayList<>();
  private final Set<String> completing = new HashSet<>(List.of("a", "b", "c", "d"));
  private long nowNs = ClockStart.NS;

  SlowLinksTest() {
    for (String uuid : List.of("a", "b", "c", "d")) {
      AgentState agent = new AgentState(uuid, nowNs);
      agent.load = load(FOREGROUND);
      agents.add(agent);
    }
  }

  private static NodeLoad load(long foreground) {
    return new NodeLoad(new Link(CAPACITY, foreground), new Link(CAPACITY, foreground), 0, 0);
  }

  private Attempt transfer(String source, String target, long granted, long achieved) {
    Attempt attempt = AttemptFixture.running(attempts.size(),
        new TransferRequest(new BlockKey(attempts.size(), 1), 10_000, 0, source, target, 1), granted);
    attempts.add(attempt);
    return AttemptFixture.progressed(attempt, 1, achieved);
  }

  private void run(long seconds) {
    for (long i = 0; i < seconds; i++) {
      links.observe(attempts, agents, Map.of(), completing::contains, nowNs);
      nowNs += TimeUnit.SECONDS.toNanos(1);
    }
  }

  private long in(int agent) {
    return links.of(agents.get(agent).uuid, agents.get(agent).load).in().capacityBytesPerSec();
  }

  private long out(int agent) {
    return links.of(agents.get(agent).uuid, agents.get(agent).load).out().capacityBytesPerSec();
  }

  @Test
  void targetThatGetsNextToNothing_isPlannedWithWhatItCarries() {
    transfer("b", "a", 300, 10);
    transfer("c", "a", 300, 20);
    run(WINDOW_SEC);
    assertEquals(CAPACITY, in(0), "not yet");
    run(1);
    assertEquals(FOREGROUND + 30, in(0));
    assertEquals(CAPACITY, out(0), "the other direction");
    assertEquals(CAPACITY, out(1), "a source with one slow target");
  }

  @Test
  void windowInWhichTheNameNodeStoodStill_isLonger() {
    transfer("b", "a", 300, 10);
    transfer("c", "a", 300, 20);
    run(1);
    nowNs += SlowLinks.WINDOW_NS;
    run(SlowLinks.MIN_SAMPLES - 2);
    assertEquals(CAPACITY, in(0));
    run(1);
    assertEquals(FOREGROUND + 30, in(0));
  }

  @Test
  void sourceThatSendsNextToNothing_isPlannedWithWhatItCarries() {
    transfer("a", "b", 300, 10);
    transfer("a", "c", 300, 20);
    run(WINDOW_SEC + 1);
    assertEquals(FOREGROUND + 30, out(0));
    assertEquals(CAPACITY, in(1), "a target with one slow source");
  }

  @Test
  void targetWhoseDisksAreTheLimit_isNoSlowLink_norEvidenceAgainstItsSources() {
    agents.get(0).load = load(FOREGROUND).withDisks(30);
    agents.get(3).load = load(FOREGROUND).withDisks(30);
    transfer("b", "a", 300, 10);
    transfer("c", "a", 300, 20);
    transfer("b", "d", 300, 10);
    run(3 * WINDOW_SEC);
    assertEquals(CAPACITY, in(0));
    assertEquals(CAPACITY, out(1));
  }

  private void rebuild(String target, String slowest) {
    List<IndexedNode> sources = List.of(new IndexedNode("a", 0), new IndexedNode("b", 1));
    Attempt attempt = AttemptFixture.rebuilding(attempts.size(),
        new TransferRequest(new BlockKey(-16L * (attempts.size() + 1), 1), 10_000, 0, "a", target, 1,
            new GroupTransfer(null, 0, 2, sources)),
        300);
    AttemptFixture.waitsFor(AttemptFixture.progressed(attempt, 1, 10), slowest);
    attempts.add(attempt);
  }

  @Test
  void rebuilds_sayOfTheSourceThatTheirTargetsWaitForThatItIsSlow() {
    rebuild("c", "a");
    rebuild("d", "a");
    run(WINDOW_SEC + 1);
    assertEquals(FOREGROUND + 20, out(0));
    assertEquals(CAPACITY, out(1), "it sends no faster since all sources send at the rate of the slowest");
    assertEquals(CAPACITY, in(2));
    assertEquals(CAPACITY, in(3));
  }

  @Test
  void rebuildsThatWaitForNoSourceInParticular_sayThatTheirTargetIsSlow() {
    rebuild("c", null);
    run(WINDOW_SEC + 1);
    assertEquals(FOREGROUND + 20, in(2), "10 bytes a second from each of two sources");
    assertEquals(CAPACITY, out(0));
    assertEquals(CAPACITY, out(1));
  }

  @Test
  void sourceOfTargetsThatHaveCompletedNothing_isNotTakenForSlow() {
    completing.removeAll(List.of("b", "c"));
    transfer("a", "b", 300, 10);
    transfer("a", "c", 300, 20);
    run(3 * WINDOW_SEC);
    assertEquals(CAPACITY, out(0));
    completing.addAll(List.of("b", "c"));
    run(WINDOW_SEC + 1);
    assertEquals(FOREGROUND + 30, out(0));
  }

  @Test
  void sourceOfATargetThatIsKnownToBeSlow_isNotTakenForSlow() {
    transfer("b", "a", 300, 10);
    transfer("c", "a", 300, 20);
    run(WINDOW_SEC + 1);
    assertEquals(FOREGROUND + 30, in(0));
    transfer("b", "d", 300, 10);
    run(WINDOW_SEC + 2);
    assertEquals(CAPACITY, out(1));
  }

  @Test
  void transfersWithOneOtherNodeOnly_sayNothingOfEitherLink() {
    transfer("b", "a", 300, 10);
    transfer("b", "a", 300, 10);
    run(3 * WINDOW_SEC);
    assertSame(agents.get(0).load, links.of("a", agents.get(0).load));
    assertSame(agents.get(1).load, links.of("b", agents.get(1).load));
  }

  @Test
  void oneTransferGetsOn_linkIsNotSlow() {
    transfer("b", "a", 300, 0);
    transfer("c", "a", 300, 0);
    transfer("d", "a", 300, 90);
    run(3 * WINDOW_SEC);
    assertEquals(CAPACITY, in(0));
  }

  @Test
  void clientsFillTheLink_isNoSlowLink() {
    transfer("b", "a", 300, 10);
    transfer("c", "a", 300, 10);
    agents.get(0).load = load(CAPACITY / 2);
    run(3 * WINDOW_SEC);
    assertEquals(CAPACITY, in(0));
  }

  @Test
  void manyLinksAtOnce_areNotSlow_butTheNetworkBetweenThem() {
    for (String target : List.of("a", "b", "c")) {
      for (String source : List.of("a", "b", "c", "d")) {
        if (!source.equals(target)) {
          transfer(source, target, 300, 10);
        }
      }
    }
    run(3 * WINDOW_SEC);
    for (int agent = 0; agent < 4; agent++) {
      assertEquals(CAPACITY, in(agent));
      assertEquals(CAPACITY, out(agent));
    }
  }

  @Test
  void transfersThatHaveNotBegun_sayNothing() {
    AttemptFixture.progressed(transfer("b", "a", 300, 0), 0, 0);
    AttemptFixture.progressed(transfer("c", "a", 300, 0), 0, 0);
    run(3 * WINDOW_SEC);
    assertEquals(CAPACITY, in(0));
  }

  @Test
  void aBreakInTheWindow_beginsItAnew() {
    transfer("b", "a", 300, 10);
    Attempt other = transfer("c", "a", 300, 10);
    run(WINDOW_SEC);
    AttemptFixture.progressed(other, 1, 200);
    run(1);
    AttemptFixture.progressed(other, 1, 10);
    run(WINDOW_SEC);
    assertEquals(CAPACITY, in(0));
    run(1);
    assertEquals(FOREGROUND + 20, in(0));
  }

  @Test
  void slowLink_isTrustedAgainAfterAWhile_alsoWithoutTransfers() {
    transfer("b", "a", 300, 10);
    transfer("c", "a", 300, 10);
    run(WINDOW_SEC + 1);
    attempts.clear();
    run(SLOW_SEC - 1);
    assertEquals(FOREGROUND + 20, in(0));
    run(1);
    assertEquals(CAPACITY, in(0));
  }

  @Test
  void slowLink_countsWithWhatItCarriesLater_andIsTrustedWhenThatIsMuch() {
    transfer("b", "a", 300, 10);
    transfer("c", "a", 300, 10);
    run(WINDOW_SEC + 1);
    agents.get(0).load = load(200);
    run(1);
    agents.get(0).load = load(100);
    run(1);
    assertEquals(220, in(0), "the most that it has carried");
    agents.get(0).load = load(CAPACITY / 2);
    run(1);
    assertEquals(CAPACITY, in(0));
  }
}
