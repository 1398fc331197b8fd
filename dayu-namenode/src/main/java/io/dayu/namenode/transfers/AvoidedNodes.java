/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.LiveNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;

/**
 * The DataNodes that plans avoid, as targets or as sources, since transfers there fail again and again. Owned by the
 * recovery loop; not thread-safe.
 *
 * <p><b>Goal.</b> A DataNode that lies or is broken must not hold up the blocks of others. What an agent says of itself
 * decides nothing: only the block map ends the count of a node's failures.
 *
 * <p><b>Rules.</b>
 * <ul>
 * <li>If a transfer fails and either end may be the reason, it counts against both. A node is avoided in a role after
 *     {@link #MAX_FAILURES} failures without a transfer that reached the block map in between, if they were with at
 *     least two other nodes: then the others are the less likely reason. With one other node alone it takes
 *     {@link #MAX_FAILURES_WITH_ONE}. Failures within {@link #SPACING_NS} count as one, since many transfers end when a
 *     connection or a process does.
 * <li>What can only be the target's fault counts against the target alone; {@link #avoidTarget} avoids it at once.
 * <li>A node is avoided for {@link #MIN_AVOIDED_NS}, twice as long each further time, {@link #MAX_AVOIDED_NS} at most.
 *     After {@link #FORGOTTEN_NS} without a reason it starts over. A target is on trial after that: it gets one
 *     transfer at a time until one has reached the block map, and the first failure has it avoided again.
 * <li>At most half of the agents are avoided as targets for failures: if more fail, they are not the reason. A block
 *     whose sources are all avoided uses them none the less.
 * <li>A source from which transfers have failed, or that has been avoided, serves few at once until one of them
 *     receives something (see {@code FailedSources}), but no longer than {@link #MAX_FAILED_SOURCE_NS} after that.
 * </ul>
 */
public final class AvoidedNodes {
  private static final Logger LOG = LoggerFactory.getLogger(AvoidedNodes.class);

  private static final int MAX_FAILURES = 3;
  private static final int MAX_FAILURES_WITH_ONE = 8;
  private static final long SPACING_NS = TimeUnit.SECONDS.toNanos(1);
  /** After this time without another failure, earlier ones no longer count. */
  private static final long MAX_GAP_NS = TimeUnit.MINUTES.toNanos(5);
  static final long MIN_AVOIDED_NS = TimeUnit.SECONDS.toNanos(10);
  private static final long MAX_AVOIDED_NS = TimeUnit.MINUTES.toNanos(10);
  private static final long FORGOTTEN_NS = TimeUnit.HOURS.toNanos(1);
  /** If a source is dead, transfers that try it again fail much sooner. If none tries it, nothing is known of it. */
  static final long MAX_FAILED_SOURCE_NS = TimeUnit.MINUTES.toNanos(1);

  /** What a node is avoided as. */
  public enum Role {
    TARGET, SOURCE
  }

  /** What is known of one node in one role. */
  private static final class Node {
    private int failures;
    private long lastFailureNs;
    /** The other end of the first failure, and whether a later one had a different end. */
    private String peer;
    private boolean severalPeers;
    private int timesAvoided;
    private boolean avoided;
    private long avoidedUntilNs;
    private String reason;
    private boolean onTrial;

    private boolean isAvoided(long nowNs) {
      avoided &= avoidedUntilNs - nowNs > 0;
      return avoided;
    }

    private void forgetFailures() {
      failures = 0;
      peer = null;
      severalPeers = false;
    }

    private boolean saysNothing(long nowNs) {
      return !isAvoided(nowNs) && (timesAvoided == 0 || nowNs - avoidedUntilNs > FORGOTTEN_NS)
          && (failures == 0 || nowNs - lastFailureNs > MAX_GAP_NS);
    }
  }

  private final UnaryOperator<String> addressOf;
  private final IntSupplier agents;
  private final Map<Role, Map<String, Node>> nodes = new EnumMap<>(Role.class);
  private Set<String> unconfirmed = Set.of();

  /**
   * @param addressOf the address of the DataNode with a UUID
   * @param agents how many agents there are
   */
  public AvoidedNodes(UnaryOperator<String> addressOf, IntSupplier agents) {
    this.addressOf = addressOf;
    this.agents = agents;
    for (Role role : Role.values()) {
      nodes.put(role, new HashMap<>());
    }
  }

  /** A transfer between these nodes failed, and either may be the reason. */
  public void failed(String source, String target, long nowNs) {
    failed(Role.SOURCE, source, target, nowNs);
    failed(Role.TARGET, target, source, nowNs);
  }

  /** A transfer failed or was far too slow, and the source is not the reason. */
  public void failedAtTarget(String target, long nowNs) {
    failed(Role.TARGET, target, null, nowNs);
  }

  /** @param peer the node at the other end, or null if it is not the reason */
  private void failed(Role role, String uuid, String peer, long nowNs) {
    Node node = node(role, uuid);
    if (node.isAvoided(nowNs)) {
      return;
    }
    if (node.failures > 0 && nowNs - node.lastFailureNs > MAX_GAP_NS) {
      node.forgetFailures();
    }
    node.severalPeers |= peer == null || node.peer != null && !node.peer.equals(peer);
    node.peer = peer;
    if (node.failures == 0 || nowNs - node.lastFailureNs >= SPACING_NS) {
      node.failures++;
      node.lastFailureNs = nowNs;
    }
    int max = role == Role.TARGET && node.onTrial ? 1 : node.severalPeers ? MAX_FAILURES : MAX_FAILURES_WITH_ONE;
    if (node.failures >= max && (role == Role.SOURCE || mayAvoidTarget(nowNs))) {
      String ends = role == Role.TARGET ? "to it" : "from it";
      avoid(role, uuid, "transfers " + ends + " fail, and none has reached the block map in between", MIN_AVOIDED_NS,
          nowNs);
    }
  }

  /**
   * Avoids a target for something that no working agent does.
   *
   * @return whether it is avoided now
   */
  public boolean avoidTarget(String uuid, String reason, long nowNs) {
    boolean already = isAvoided(Role.TARGET, uuid, nowNs);
    if (!already && mayAvoidTarget(nowNs)) {
      avoid(Role.TARGET, uuid, reason, MIN_AVOIDED_NS, nowNs);
      return true;
    }
    return already;
  }

  /** Avoids a target that makes no progress, for at least {@code minNs}, however many others are avoided. */
  public void avoidIdleTarget(String uuid, long minNs, long nowNs) {
    if (!isAvoided(Role.TARGET, uuid, nowNs)) {
      avoid(Role.TARGET, uuid, "none of the transfers to it makes progress", minNs, nowNs);
    }
  }

  private boolean mayAvoidTarget(long nowNs) {
    return 2 * (count(Role.TARGET, nowNs) + 1) <= agents.getAsInt();
  }

  private void avoid(Role role, String uuid, String reason, long minNs, long nowNs) {
    Node node = node(role, uuid);
    if (node.timesAvoided > 0 && nowNs - node.avoidedUntilNs > FORGOTTEN_NS) {
      node.timesAvoided = 0;
    }
    long durationNs = minNs;
    for (int i = 0; i < node.timesAvoided && durationNs < MAX_AVOIDED_NS; i++) {
      durationNs *= 2;
    }
    durationNs = Math.min(durationNs, MAX_AVOIDED_NS);
    node.timesAvoided++;
    node.avoided = true;
    node.avoidedUntilNs = nowNs + durationNs;
    node.reason = reason;
    node.onTrial = true;
    node.forgetFailures();
    long sec = TimeUnit.NANOSECONDS.toSeconds(durationNs);
    if (role == Role.TARGET) {
      LOG.warn("Dayu: DataNode {} ({}) gets no new transfers for {} s: {}", addressOf.apply(uuid), uuid, sec, reason);
    } else {
      LOG.warn("Dayu: DataNode {} ({}) is a source only of blocks that have no other, for {} s: {}",
          addressOf.apply(uuid), uuid, sec, reason);
    }
  }

  /** The block map has what this transfer made. */
  public void confirmed(String source, String target) {
    works(nodes.get(Role.SOURCE).get(source));
    works(nodes.get(Role.TARGET).get(target));
  }

  private static void works(Node node) {
    if (node != null) {
      node.forgetFailures();
      node.onTrial = false;
    }
  }

  /**
   * These targets have said for a while that they have received blocks that the block map does not have: they get no
   * new transfers until it has them, or until they are avoided for it. If they are more than half of the agents, it is
   * the NameNode that is behind with reports.
   */
  public void unconfirmed(Set<String> targets) {
    unconfirmed = 2 * targets.size() <= agents.getAsInt() ? targets : Set.of();
  }

  public boolean isAvoided(Role role, String uuid, long nowNs) {
    Node node = nodes.get(role).get(uuid);
    return node != null && node.isAvoided(nowNs);
  }

  /** Whether a target was avoided, and nothing has reached the block map from it since. */
  public boolean isOnTrial(String uuid) {
    Node node = nodes.get(Role.TARGET).get(uuid);
    return node != null && node.onTrial;
  }

  /** Whether transfers from a source have failed lately, and nothing from it has reached the block map since. */
  private boolean sourceFailed(String uuid, long nowNs) {
    Node node = nodes.get(Role.SOURCE).get(uuid);
    return node != null && (node.isAvoided(nowNs) || node.failures > 0 && isLately(node.lastFailureNs, nowNs)
        || node.onTrial && isLately(node.avoidedUntilNs, nowNs));
  }

  private static boolean isLately(long failedNs, long nowNs) {
    return nowNs - failedNs <= MAX_FAILED_SOURCE_NS;
  }

  /** Why the node is avoided, and for how much longer; null if it is not. */
  public String reason(Role role, String uuid, long nowNs) {
    Node node = nodes.get(role).get(uuid);
    if (node != null && node.isAvoided(nowNs)) {
      return "avoided for another " + TimeUnit.NANOSECONDS.toSeconds(node.avoidedUntilNs - nowNs) + " s: "
          + node.reason;
    }
    return role == Role.TARGET && unconfirmed.contains(uuid)
        ? "the block map does not have yet what it says that it has received" : null;
  }

  /** How many nodes are avoided. */
  public int count(long nowNs) {
    Map<String, Node> sources = nodes.get(Role.SOURCE);
    int both = (int) nodes.get(Role.TARGET).entrySet().stream()
        .filter(target -> target.getValue().isAvoided(nowNs) && sources.containsKey(target.getKey())
            && sources.get(target.getKey()).isAvoided(nowNs))
        .count();
    return count(Role.TARGET, nowNs) + count(Role.SOURCE, nowNs) - both;
  }

  private int count(Role role, long nowNs) {
    return (int) nodes.get(role).values().stream().filter(node -> node.isAvoided(nowNs)).count();
  }

  /** The node as a plan may use it. */
  public LiveNode planned(LiveNode node, long nowNs) {
    boolean noTarget = unconfirmed.contains(node.uuid()) || isAvoided(Role.TARGET, node.uuid(), nowNs);
    LiveNode planned = noTarget ? node.withoutNewReplicas() : node;
    planned = isAvoided(Role.SOURCE, node.uuid(), nowNs) ? planned.asLastSource() : planned;
    return sourceFailed(node.uuid(), nowNs) ? planned.asFailedSource() : planned;
  }

  /** Forgets entries that no longer count; called now and then. */
  public void expire(long nowNs) {
    nodes.values().forEach(known -> known.values().removeIf(node -> node.saysNothing(nowNs)));
  }

  public void clear() {
    nodes.values().forEach(Map::clear);
    unconfirmed = Set.of();
  }

  private Node node(Role role, String uuid) {
    return nodes.get(role).computeIfAbsent(uuid, unknown -> new Node());
  }
}
