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

import java.util.List;
import java.util.concurrent.TimeUnit;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;

/** When which transfers are compared with the block map. */
class BlockMapAuditTest {
  private static final int TRANSFERS = 20_000;
  private static final long NOW_NS = TimeUnit.HOURS.toNanos(1);
  private static final long LEASE_NS = TimeUnit.MINUTES.toNanos(1);

  @Test
  void newTransfers_areNotCheckedRightAfterTheirCommit() {
    AgentRegistry<AgentState> agents = new AgentRegistry<>(AgentState::new);
    TransferTracker tracker = new TransferTracker(new AgentUpdates(agents));
    tracker.raiseMaxLease(LEASE_NS);
    for (int i = 0; i < TRANSFERS; i++) {
      BlockKey key = new BlockKey(i, 1);
      tracker.grant(new TransferRequest(key, 100, 2, "source", "target", 4),
          waitingBlock(key).on("source").build(), CommitResult.committed("DS-1", "DISK"), 10, NOW_NS);
    }
    BlockMapAudit audit = new BlockMapAudit(agents, tracker, node -> false);
    assertEquals(List.of(), audit.dueForCheck(NOW_NS + TimeUnit.MILLISECONDS.toNanos(100)));
    assertEquals(TRANSFERS, audit.dueForCheck(NOW_NS + LEASE_NS / 3).size());
  }
}
