/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The nodes where transfers at the highest risk go before others, which get a 65th there at least. Owned by the
 * recovery loop; not thread-safe.
 *
 * <p>At such a node some of them are under way, and one was completed in the last {@link #GOES_FIRST_NS}. What agents
 * say of their progress is not enough for that, since a false report would excuse all that the agent does not do.
 */
public final class HighestRiskNodes {
  private static final long GOES_FIRST_NS = TimeUnit.MINUTES.toNanos(1);

  /** By node, when a transfer at the highest risk from or to it was last completed. */
  private final Map<String, Long> completedNs = new HashMap<>();
  private final Set<String> nodes = new HashSet<>();

  /** The block map has what this transfer made. */
  public void confirmed(Attempt attempt, long nowNs) {
    if (attempt.isAtHighestRisk()) {
      completedNs.put(attempt.target(), nowNs);
      attempt.sources().forEach(source -> completedNs.put(source.node(), nowNs));
    }
  }

  /** Finds these nodes again, by the transfers that are under way. */
  public void look(Collection<Attempt> transfers, long nowNs) {
    nodes.clear();
    completedNs.values().removeIf(ns -> nowNs - ns > GOES_FIRST_NS);
    if (completedNs.isEmpty()) {
      return;
    }
    for (Attempt attempt : transfers) {
      if (attempt.live() && attempt.isAtHighestRisk()) {
        nodes.add(attempt.target());
        attempt.sources().forEach(source -> nodes.add(source.node()));
      }
    }
    nodes.retainAll(completedNs.keySet());
  }

  /** Whether others go before this transfer at one of its ends. */
  boolean goBefore(Attempt attempt) {
    if (nodes.isEmpty() || attempt.isAtHighestRisk()) {
      return false;
    }
    for (TransferSource source : attempt.sources()) {
      if (nodes.contains(source.node())) {
        return true;
      }
    }
    return nodes.contains(attempt.target());
  }

  /** Forgets what was completed. */
  public void clear() {
    completedNs.clear();
    nodes.clear();
  }
}
