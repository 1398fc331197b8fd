/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether it was Dayu that recovered, over all lives of all NameNodes, as far as looks at the active one have seen it.
 * Not thread-safe.
 */
final class DayuActivity {
  /** With fewer looks a moment after a failover would decide. */
  private static final int MIN_LOOKS = 10;
  /** With fewer copies those that were counted nowhere, since they ended in a failover, would decide. */
  private static final int MIN_COPIES = 20;
  /** The least share of the copies that Dayu must have finished: some end in a failover, and are counted nowhere. */
  private static final double MIN_SHARE = 0.5;

  private final Map<String, Long> lastFinished = new HashMap<>();
  private long finished;
  private int looks;
  private int looksActive;

  /**
   * @param nameNode the active one
   * @param totalFinished transfers of Dayu that have finished since this NameNode was started
   */
  void noteFinished(String nameNode, long totalFinished) {
    Long before = lastFinished.put(nameNode, totalFinished);
    // It was started anew if it has counted fewer than before.
    finished += before == null || totalFinished < before ? totalFinished : totalFinished - before;
  }

  /** @param state of Dayu on an active NameNode that nothing disturbs; empty if it has none */
  void noteState(String state) {
    looks++;
    if (state.equals("DAYU")) {
      looksActive++;
    }
  }

  /**
   * One line for people.
   *
   * @param copies that somebody has made, as far as looks have seen it
   */
  String summary(long copies) {
    return "Dayu: " + finished + " transfers finished, " + copies
        + " copies seen of blocks that had lost replicas; it was active in " + looksActive + " of " + looks + " looks";
  }

  /**
   * What shows that it was not Dayu, one line each.
   *
   * @param copies that somebody has made, as far as looks have seen it
   */
  List<String> violations(long copies) {
    List<String> violations = new ArrayList<>();
    if (copies >= MIN_COPIES && finished < MIN_SHARE * copies) {
      violations.add("only " + finished + " transfers of Dayu have finished, and " + copies
          + " copies were seen of blocks that had lost replicas: it was stock HDFS that recovered");
    }
    if (looks >= MIN_LOOKS && 2 * looksActive < looks) {
      violations
          .add("Dayu was active in " + looksActive + " of " + looks + " looks only: stock HDFS recovered instead");
    }
    return violations;
  }
}
