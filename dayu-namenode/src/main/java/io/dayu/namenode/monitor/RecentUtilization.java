/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import java.util.ArrayList;
import java.util.List;

/**
 * Which α recovery has had lately, so that a rate can be compared with the α of the time in which it was measured. Used
 * by one thread.
 */
final class RecentUtilization {
  private static final long KEPT_NS = 2 * LeavingEstimate.WINDOW_NS;
  /** There is one a second at most, but for those by admins. */
  private static final int MAX_CHANGES = 1_000;

  private record Change(double utilization, long atNs) {
  }

  private final List<Change> changes = new ArrayList<>();

  /** Records α as it is from now on. */
  void observe(double utilization, long nowNs) {
    if (changes.isEmpty() || changes.get(changes.size() - 1).utilization != utilization) {
      changes.add(new Change(utilization, nowNs));
    }
    while (changes.size() > MAX_CHANGES || changes.size() > 1 && nowNs - changes.get(1).atNs >= KEPT_NS) {
      changes.remove(0);
    }
  }

  /** The mean α of this time; before the first change that is known it was the same. */
  double mean(long fromNs, long untilNs) {
    if (untilNs - fromNs <= 0) {
      return changes.get(changes.size() - 1).utilization;
    }
    double sum = 0;
    long endNs = untilNs;
    for (int i = changes.size() - 1; i >= 0 && endNs - fromNs > 0; i--) {
      Change change = changes.get(i);
      long beginNs = i == 0 || change.atNs - fromNs <= 0 ? fromNs : change.atNs;
      if (endNs - beginNs > 0) {
        sum += change.utilization * (endNs - beginNs);
        endNs = beginNs;
      }
    }
    return sum / (untilNs - fromNs);
  }
}
