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

  /** One line for people. */
  String summary() {
    return "Dayu: " + finished + " transfers finished; it was active in " + looksActive + " of " + looks + " looks";
  }

  /**
   * What shows that it was not Dayu, one line each.
   *
   * @param lostReplicas whether faults have taken replicas away, so that some have been made anew
   */
  List<String> violations(boolean lostReplicas) {
    List<String> violations = new ArrayList<>();
    if (lostReplicas && finished == 0) {
      violations.add("replicas were lost, and no transfer of Dayu has finished: it was stock HDFS that recovered");
    }
    if (looks >= MIN_LOOKS && 2 * looksActive < looks) {
      violations
          .add("Dayu was active in " + looksActive + " of " + looks + " looks only: stock HDFS recovered instead");
    }
    return violations;
  }
}
