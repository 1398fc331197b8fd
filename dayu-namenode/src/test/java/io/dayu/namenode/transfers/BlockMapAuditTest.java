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
import io.dayu.blocks.TransferRequest;
import io.dayu.namenode.agents.AgentRegistry;
import org.junit.jupiter.api.Test;

import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

/** When which transfers are compared with the block map. */
class BlockMapAuditTest {
  private static final int TRANSFERS = 20_000;
  private static final long NOW_NS = TimeUnit.HOURS.toNanos(1);
  private static final long LEASE_NS = TimeUnit.MINUTES.toNanos(1);
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

  private final AgentRegistry<AgentState> agents = new AgentRegistry<>(AgentState::new);
  private final TransferTracker tracker = new TransferTracker(new AgentUpdates(agents));
  private final Set<String> dead = new HashSet<>();
  private final BlockMapAudit audit = new BlockMapAudit(agents, tracker, dead::contains);

  private void grant(int count) {
    tracker.raiseMaxLease(LEASE_NS);
    for (int i = 0; i < count; i++) {
      BlockKey key = new BlockKey(i, 1);
      String source = "source" + i % 100;
      tracker.grant(new TransferRequest(key, 100, 2, source, "target", 4),
          waitingBlock(key).on(source).build(), CommitResult.committed("DS-1", "DISK"), 10, NOW_NS);
    }
  }

  private static BitSet all(List<TransferRequest> asked) {
    BitSet all = new BitSet();
    all.set(0, asked.size());
    return all;
  }

  @Test
  void newTransfers_areNotCheckedRightAfterTheirCommit() {
    grant(TRANSFERS);
    assertEquals(List.of(), audit.dueForComparison(BlockMapAuditTest::all, NOW_NS + SECOND_NS / 10));
    assertEquals(TRANSFERS, audit.dueForComparison(BlockMapAuditTest::all, NOW_NS + LEASE_NS / 3).size());
  }

  @Test
  void fewTransfers_areComparedEachTime_withoutALookAtTheirRegistrations() {
    grant(100);
    assertEquals(100, audit.dueForComparison(asked -> fail("not needed"), NOW_NS + SECOND_NS).size());
  }

  @Test
  void ofManyTransfers_thoseWithoutARegistration_orWithADeadSource_areCompared() {
    grant(TRANSFERS);
    long nowNs = NOW_NS + 5 * SECOND_NS;
    dead.add("source7");
    List<Attempt> compared = audit.dueForComparison(asked -> {
      assertEquals(TRANSFERS, asked.size());
      BitSet registered = all(asked);
      registered.clear(10, 13);
      return registered;
    }, nowNs);
    assertEquals(TRANSFERS / 100 + 3, compared.size());
    tracker.received(tracker.all().get(500), nowNs);
    assertEquals(List.of(), audit.dueForComparison(BlockMapAuditTest::all, nowNs + SECOND_NS).stream()
        .filter(attempt -> !attempt.source().equals("source7")).toList(), "just looked at, and the report may come");
    assertEquals(List.of(tracker.all().get(500)),
        audit.dueForComparison(BlockMapAuditTest::all, nowNs + 3 * SECOND_NS).stream()
            .filter(attempt -> !attempt.source().equals("source7")).toList(),
        "the report is late");
  }
}
