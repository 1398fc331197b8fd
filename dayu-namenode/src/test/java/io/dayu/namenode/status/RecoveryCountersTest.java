/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.status;

import io.dayu.blocks.CommitResult;
import io.dayu.blocks.CommitResult.Verdict;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Each outcome of a transfer is counted under its own cause. */
final class RecoveryCountersTest {
  private final RecoveryCounters counters = new RecoveryCounters();

  /** Each verdict occurs another number of times, so that no two counters can be confused. */
  @Test
  void commitResults_areCountedByVerdict() {
    List<CommitResult> results = new ArrayList<>();
    for (Verdict verdict : Verdict.values()) {
      results.addAll(Collections.nCopies((int) count(verdict), CommitResult.rejected(verdict, "a test")));
    }
    counters.countTimeslot(results, 0, 0, 1);
    Map<RecoveryMetric, Long> expected = new EnumMap<>(RecoveryMetric.class);
    expected.put(RecoveryMetric.TRANSFERS_PLANNED, (long) results.size());
    expected.put(RecoveryMetric.TRANSFERS_COMMITTED, count(Verdict.COMMITTED));
    expected.put(RecoveryMetric.TRANSFERS_REJECTED_BY_TARGET,
        count(Verdict.TARGET_REFUSED) + count(Verdict.TARGET_DELETES));
    expected.put(RecoveryMetric.TRANSFERS_REJECTED_WITHOUT_ROOM, count(Verdict.TARGET_FULL));
    expected.put(RecoveryMetric.TRANSFERS_REJECTED_BY_PLACEMENT, count(Verdict.TARGET_MISPLACED));
    expected.put(RecoveryMetric.TRANSFERS_REJECTED_AS_CHANGED, count(Verdict.CHANGED));
    expected.put(RecoveryMetric.TRANSFERS_REJECTED_AS_NOT_NEEDED, count(Verdict.NOT_NEEDED));
    assertEquals(expected, totals(expected));
  }

  private static long count(Verdict verdict) {
    return 1 + verdict.ordinal();
  }

  @Test
  void failures_areCountedByCause() {
    for (FailureCause cause : FailureCause.values()) {
      for (int i = 0; i <= cause.ordinal(); i++) {
        counters.countFailed(cause, cause == FailureCause.TARGET);
      }
    }
    int causes = FailureCause.values().length;
    Map<RecoveryMetric, Long> expected = new EnumMap<>(RecoveryMetric.class);
    expected.put(RecoveryMetric.TRANSFERS_FAILED, causes * (causes + 1) / 2L);
    expected.put(RecoveryMetric.TRANSFERS_FAILED_BY_SOURCE, count(FailureCause.SOURCE));
    expected.put(RecoveryMetric.TRANSFERS_FAILED_BY_CORRUPTION, count(FailureCause.CORRUPTION));
    expected.put(RecoveryMetric.TRANSFERS_FAILED_BY_TARGET,
        count(FailureCause.TARGET) + count(FailureCause.DELETION));
    expected.put(RecoveryMetric.TRANSFERS_FAILED_BY_AGENT, count(FailureCause.AGENT));
    expected.put(RecoveryMetric.TRANSFERS_FAILED_IN_BLOCK_MAP, count(FailureCause.BLOCK_MAP));
    expected.put(RecoveryMetric.TRANSFERS_FAILED_AT_TARGET, count(FailureCause.TARGET));
    assertEquals(expected, totals(expected));
  }

  private static long count(FailureCause cause) {
    return 1 + cause.ordinal();
  }

  private Map<RecoveryMetric, Long> totals(Map<RecoveryMetric, Long> of) {
    Map<RecoveryMetric, Long> totals = new EnumMap<>(of);
    totals.replaceAll((metric, count) -> counters.total(metric));
    return totals;
  }
}
