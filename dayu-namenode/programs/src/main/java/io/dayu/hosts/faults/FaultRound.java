/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.faults;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Faults that overlap in time, all of which are undone at the round's end. Immutable.
 *
 * <p>Rule: a round that begins with three replicas of each block cannot lose one of them all, nor the last copy of a
 * block that was acknowledged with two. At most two DataNodes are hit, and at most one of them loses data. The next
 * round begins only after the cluster has been seen whole. So each loss is a fault of HDFS or of Dayu.
 *
 * @param number of the round, from 0 on
 * @param faults in the order of their begins
 */
public record FaultRound(int number, List<DrawnFault> faults) {
  /** How many DataNodes may be away at a time. */
  public static final int MAX_NODES = 2;
  static final int MAX_DATA_LOSERS = 1;

  public FaultRound {
    faults = List.copyOf(faults);
    Set<Integer> losers = faults.stream().filter(fault -> fault.kind().losesData()).map(DrawnFault::node)
        .collect(Collectors.toSet());
    if (nodes(faults).size() > MAX_NODES || losers.size() > MAX_DATA_LOSERS) {
      throw new IllegalArgumentException("replication does not survive " + faults);
    }
  }

  private static Set<Integer> nodes(List<DrawnFault> faults) {
    return faults.stream().map(DrawnFault::node).filter(node -> node >= 0).collect(Collectors.toSet());
  }

  /** The DataNodes that are hit. */
  public Set<Integer> nodes() {
    return nodes(faults);
  }

  /** Those of one DataNode, or with -1 of the NameNodes; they follow one another. */
  public List<DrawnFault> of(int node) {
    return faults.stream().filter(fault -> fault.node() == node).toList();
  }
}
