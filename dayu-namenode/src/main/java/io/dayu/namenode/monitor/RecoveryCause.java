/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.blocks.LiveNode;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Why blocks are copied, as far as the NameNode's lists of nodes tell: lost DataNodes, lost volumes, DataNodes that are
 * to leave, corrupt replicas. Owned by the recovery loop; not thread-safe.
 */
final class RecoveryCause {
  /** An event up to this long before the start of a recovery is its cause. */
  private static final long MAX_AGE_NS = TimeUnit.MINUTES.toNanos(1);
  /** The same for a recovery that is found at a failover: the NameNode before may have been at it for a while. */
  private static final long MAX_STANDBY_AGE_NS = TimeUnit.MINUTES.toNanos(10);
  private static final int MAX_NAMED = 10;
  /** How a description begins that says only that the cause was not seen here. */
  static final String NOT_KNOWN = "not known: ";

  private record Node(String name, int volumes) {
  }

  private Map<String, Node> known = Map.of();
  private long knownCorrupt;
  /** The events by kind and name, with their times. */
  private final Map<String, Long> lost = new LinkedHashMap<>();
  private final Map<String, Long> back = new LinkedHashMap<>();
  private final Map<String, Long> lostVolumes = new LinkedHashMap<>();
  private final Map<String, Long> leaving = new LinkedHashMap<>();
  private final Map<String, Long> corrupt = new LinkedHashMap<>();
  /** Events before this NameNode became active are not known. */
  private final Map<String, Long> notSeen = new LinkedHashMap<>();

  /**
   * Records the live DataNodes.
   *
   * @param corruptBlocks blocks with a corrupt replica
   * @param keep whether a recovery is going on: then what has happened stays its cause, however long ago
   */
  void observe(Collection<LiveNode> nodes, long corruptBlocks, boolean keep, long nowNs) {
    Map<String, Node> present = new HashMap<>();
    nodes.forEach(
        node -> present.put(node.uuid(), new Node(node.name(), Arrays.stream(node.space().volumes()).sum())));
    known.forEach((uuid, node) -> {
      Node now = present.get(uuid);
      if (now == null) {
        lost.put(node.name, nowNs);
        back.remove(node.name);
      } else if (now.volumes < node.volumes) {
        lostVolumes.merge(now.name, nowNs, Math::max);
      }
    });
    // DataNodes that leave are a cause until they have left.
    nodes.stream().filter(node -> node.status().leaving()).forEach(node -> leaving.put(node.name(), nowNs));
    if (corruptBlocks > knownCorrupt) {
      corrupt.put("", nowNs);
    }
    for (Node node : present.values()) {
      if (lost.remove(node.name) != null && keep) {
        back.put(node.name, nowNs);
      }
    }
    known = present;
    knownCorrupt = corruptBlocks;
    if (!keep) {
      for (Map<String, Long> happened : List.of(lost, back, lostVolumes, leaving, corrupt, notSeen)) {
        forget(happened, nowNs);
      }
    }
  }

  /**
   * Says that this NameNode is not active. DataNodes send heartbeats to it, too, so it sees which ones are lost. It
   * does not see what lacks replicas, and why otherwise.
   */
  void standBy(Collection<LiveNode> nodes, long nowNs) {
    observe(nodes, knownCorrupt, true, nowNs);
    back.clear();
    for (Map<String, Long> happened : List.of(lost, lostVolumes, leaving, corrupt)) {
      happened.values().removeIf(atNs -> nowNs - atNs > MAX_STANDBY_AGE_NS);
    }
    notSeen.put("", nowNs);
  }

  /** Ends the present recovery: what happened until this moment causes no later recovery. */
  void recovered(long untilNs) {
    for (Map<String, Long> happened : List.of(lost, back, lostVolumes, leaving, corrupt, notSeen)) {
      happened.values().removeIf(atNs -> atNs <= untilNs);
    }
  }

  private static void forget(Map<String, Long> happened, long nowNs) {
    happened.values().removeIf(atNs -> nowNs - atNs > MAX_AGE_NS);
  }

  /** For people. */
  String describe() {
    StringJoiner parts = new StringJoiner("; ");
    add(parts, "DataNodes lost: ", lost);
    add(parts, "DataNodes lost that are back: ", back);
    add(parts, "volumes lost on: ", lostVolumes);
    add(parts, "DataNodes that leave (decommission or maintenance): ", leaving);
    if (!corrupt.isEmpty()) {
      parts.add("corrupt replicas");
    }
    if (parts.length() > 0) {
      return parts.toString();
    }
    return notSeen.isEmpty()
        ? "no DataNode or volume was lost in the last minute; replicas, or internal blocks of groups, are missing for "
            + "another reason, or replication was raised"
        : NOT_KNOWN + "it happened before this NameNode became active; or replicas, or internal blocks of groups, are "
            + "missing for another reason, or replication was raised";
  }

  private static void add(StringJoiner parts, String kind, Map<String, Long> happened) {
    if (!happened.isEmpty()) {
      parts.add(kind + happened.keySet().stream().limit(MAX_NAMED).collect(Collectors.joining(", "))
          + (happened.size() > MAX_NAMED ? " and " + (happened.size() - MAX_NAMED) + " more" : ""));
    }
  }
}
