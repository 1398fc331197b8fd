/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The block pools whose recovery uses this DataNode, and so shares its bandwidth. A pool for which the node only sends
 * blocks, for instance because it is decommissioning, has no share of what the node receives. A pool for which it
 * receives blocks has a share of both directions: targets start their transfers one after the other, so this node may
 * be planned as a source for the same pool long before the first read. Safe for use by all threads.
 */
final class ActivePools {
  /** Between two timeslots a pool may have no transfers here for a moment. */
  private static final long RECENT_NS = TimeUnit.SECONDS.toNanos(5);

  private final Map<String, Long> lastReceivedNs = new ConcurrentHashMap<>();

  /**
   * How many NameNodes plan with a node's bandwidth.
   *
   * @param in number of NameNodes that share the inbound bandwidth, at least 1
   * @param out number of NameNodes that share the outbound bandwidth, at least 1
   */
  record Shares(int in, int out) {
    /** One NameNode has all of the bandwidth. */
    static final Shares SOLE = new Shares(1, 1);
  }

  /**
   * The shares that are reported for a pool, which has one in each direction whether it recovers yet or not.
   *
   * @param receiving pools with transfers to this DataNode now
   * @param serving pools whose blocks other DataNodes read here for recovery, now or in the last seconds
   */
  Shares shares(String pool, Set<String> receiving, Set<String> serving, long nowNs) {
    receiving.forEach(active -> lastReceivedNs.put(active, nowNs));
    lastReceivedNs.values().removeIf(receivedNs -> nowNs - receivedNs > RECENT_NS);
    Set<String> both = new HashSet<>(serving);
    both.addAll(lastReceivedNs.keySet());
    return new Shares(count(pool, lastReceivedNs.keySet()), count(pool, both));
  }

  private static int count(String pool, Set<String> active) {
    return (int) active.stream().filter(other -> !other.equals(pool)).count() + 1;
  }
}
