/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.TestOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Random sequences of faults on embedded clusters, on demand only; docs/architecture.md has the command. As many as
 * {@code -Dsequences.count} says, or as begin within {@code -Dsequences.minutes}, from the seed {@code
 * -Dsequences.base} on; one of them again by {@code -Dsequences.seed}.
 */
final class ClusterSequences {
  private static final long COUNT = TestOption.count("sequences.count", 24, 1);
  private static final long MINUTES = TestOption.count("sequences.minutes", 0, 0);
  private static final Long SEED = TestOption.seedOrNull("sequences.seed");
  private static final long BASE = SEED != null ? SEED : TestOption.seed("sequences.base", 1);

  @Test
  @Timeout(value = 12, unit = TimeUnit.HOURS)
  void sequencesOfFaults_leaveEverythingInOrder() {
    long startNs = System.nanoTime();
    List<Long> failed = new ArrayList<>();
    long seed = BASE;
    while (isMore(seed - BASE, startNs)) {
      ClusterSequence sequence = new ClusterSequence(seed);
      String end = "";
      try {
        sequence.run();
      } catch (Exception | AssertionError e) {
        failed.add(seed);
        end = "  FAILED: " + e + "\n";
        e.printStackTrace(System.out);
      }
      System.out.println("sequence of seed " + seed + "\n" + sequence.log() + end);
      seed++;
    }
    String seeds = "seeds " + BASE + " to " + (seed - 1);
    assertTrue(failed.isEmpty(), "of the " + seeds + " these failed, again by -Dsequences.seed=: " + failed);
    System.out.println(seeds + ": all is well");
  }

  private static boolean isMore(long done, long startNs) {
    if (SEED != null) {
      return done == 0;
    }
    return MINUTES > 0 ? System.nanoTime() - startNs < TimeUnit.MINUTES.toNanos(MINUTES) : done < COUNT;
  }
}
