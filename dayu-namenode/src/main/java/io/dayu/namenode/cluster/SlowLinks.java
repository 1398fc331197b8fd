/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.cluster;

import io.dayu.blocks.LiveNode;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.TransferSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds links that carry far less than their agents say, and has plans count on what they carry. Owned by the recovery
 * loop; not thread-safe.
 *
 * <p><b>Goal.</b> An interface that has fallen back to a lower speed still has the bandwidth that was configured or
 * detected at the start. The less it carries, the more idle it looks, so that plans would prefer it.
 *
 * <p><b>Rule.</b> One direction of a node's link is slow if for {@link #WINDOW_NS} the transfers that have begun on it,
 * with at least two other nodes, achieve together less than {@link #MIN_SHARE} of what they were granted, while all its
 * traffic is less than {@link #MAX_UTILIZATION} of its bandwidth. Clients cannot be the reason: where they fill a link,
 * agents still give recovery B_min, which is more. Nor can disks that are the limit, by their agent's word, or a link
 * at the other end that is known to be slow: what crosses one is left out. All sources of a rebuild send at the rate of
 * the slowest, so it is evidence about the source that its target waits for, or about its target if that waits for none
 * in particular. What targets say that they receive slowly is no evidence against its source before they have completed
 * something, or a few that lie could have it taken for slow. If more than {@link #MAX_SLOW_SHARE} of the links are like
 * this at once, the network between them is the reason, and none is slow. Plans count on what a slow link carried in
 * the window, or on what it carries later if that is more, for {@link #SLOW_NS}.
 */
final class SlowLinks {
  private static final Logger LOG = LoggerFactory.getLogger(SlowLinks.class);

  static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(10);
  /** Fewer samples in the window say little: this JVM stood still meanwhile. */
  static final int MIN_SAMPLES = 5;
  static final long SLOW_NS = TimeUnit.MINUTES.toNanos(5);
  static final double MIN_SHARE = 0.1;
  static final double MAX_UTILIZATION = 0.5;
  static final double MAX_SLOW_SHARE = 0.1;
  /** The number of links that may be slow at once in a cluster of any size: both directions of one node. */
  private static final int MIN_SLOW_LINKS = 2;

  /** What recovery is granted and achieves on one direction of a link now. */
  private static final class Traffic {
    private double grantedBytesPerSec;
    private double achievedBytesPerSec;
    private String peer;
    private boolean hasSeveralPeers;

    void add(Attempt attempt, String otherEnd) {
      grantedBytesPerSec += attempt.rateBytesPerSec();
      achievedBytesPerSec += attempt.achievedBytesPerSec();
      hasSeveralPeers |= peer != null && !peer.equals(otherEnd);
      peer = otherEnd;
    }

    boolean isLow() {
      return hasSeveralPeers && achievedBytesPerSec < MIN_SHARE * grantedBytesPerSec;
    }
  }

  /** What is known of one direction of a link that seems slow. */
  private static final class Link {
    private final long sinceNs;
    private double sumBytesPerSec;
    private int samples;
    private boolean slow;
    private long slowNs;
    private long carriesBytesPerSec;

    Link(long nowNs) {
      this.sinceNs = nowNs;
    }
  }

  private record Direction(String uuid, boolean in) {
  }

  private static final Traffic NONE = new Traffic();

  private final Map<Direction, Link> links = new HashMap<>();

  /**
   * Notes what the transfers achieve now; called about once a second.
   *
   * @param completes whether a target has lately completed transfers. Only such a target is evidence against a source
   */
  void observe(Collection<Attempt> attempts, Collection<AgentState> agents, Map<String, LiveNode> nodes,
      Predicate<String> completes, long nowNs) {
    Map<String, Traffic> receivedBy = new HashMap<>();
    Map<String, Traffic> sentBy = new HashMap<>();
    Set<String> diskLimited = diskLimited(agents);
    for (Attempt attempt : attempts) {
      if (attempt.live() && attempt.doneBytes() > 0 && !attempt.sourceLost()) {
        boolean targetIsSlow = isSlow(new Direction(attempt.target(), true)) || diskLimited.contains(attempt.target());
        TransferSource slowest = attempt.slowestSource();
        if (attempt.width() == 1 || slowest == null) {
          addReceived(receivedBy, attempt);
        }
        if (slowest != null && !targetIsSlow && completes.test(attempt.target())) {
          sentBy.computeIfAbsent(slowest.node(), uuid -> new Traffic()).add(attempt, attempt.target());
        }
      }
    }
    long low = Stream.concat(receivedBy.values().stream(), sentBy.values().stream()).filter(Traffic::isLow).count();
    boolean network = low > Math.max(MIN_SLOW_LINKS, MAX_SLOW_SHARE * (receivedBy.size() + sentBy.size()));
    Set<Direction> present = new HashSet<>();
    for (AgentState agent : agents) {
      if (agent.load != null) {
        NodeLoad load = agent.load;
        Direction in = new Direction(agent.uuid, true);
        Direction out = new Direction(agent.uuid, false);
        present.add(in);
        present.add(out);
        Traffic received = receivedBy.getOrDefault(agent.uuid, NONE);
        Traffic sent = sentBy.getOrDefault(agent.uuid, NONE);
        observe(in, !network && received.isLow() && !load.isLimitedByDisks(),
            load.in().foregroundBytesPerSec() + received.achievedBytesPerSec,
            load.in().capacityBytesPerSec(), nodes, nowNs);
        observe(out, !network && sent.isLow(), load.out().foregroundBytesPerSec() + sent.achievedBytesPerSec,
            load.out().capacityBytesPerSec(), nodes, nowNs);
      }
    }
    links.keySet().retainAll(present);
  }

  private static Set<String> diskLimited(Collection<AgentState> agents) {
    return agents.stream().filter(agent -> agent.load != null && agent.load.isLimitedByDisks())
        .map(agent -> agent.uuid).collect(Collectors.toSet());
  }

  private void addReceived(Map<String, Traffic> receivedBy, Attempt attempt) {
    for (TransferSource source : attempt.sources()) {
      if (isSlow(new Direction(source.node(), false))) {
        return;
      }
    }
    Traffic received = receivedBy.computeIfAbsent(attempt.target(), uuid -> new Traffic());
    attempt.sources().forEach(source -> received.add(attempt, source.node()));
  }

  private void observe(Direction direction, boolean achievesLittle, double carried, long capacity,
      Map<String, LiveNode> nodes, long nowNs) {
    boolean idle = carried < MAX_UTILIZATION * capacity;
    Link link = links.get(direction);
    if (link != null && link.slow) {
      link.carriesBytesPerSec = Math.max(link.carriesBytesPerSec, (long) carried);
      if (!idle || nowNs - link.slowNs >= SLOW_NS) {
        links.remove(direction);
      }
      return;
    }
    if (!idle || !achievesLittle) {
      links.remove(direction);
      return;
    }
    if (link == null) {
      link = new Link(nowNs);
      links.put(direction, link);
    }
    link.sumBytesPerSec += carried;
    link.samples++;
    if (nowNs - link.sinceNs >= WINDOW_NS && link.samples >= MIN_SAMPLES) {
      link.slow = true;
      link.slowNs = nowNs;
      link.carriesBytesPerSec = Math.max(1, Math.round(link.sumBytesPerSec / link.samples));
      LiveNode node = nodes.get(direction.uuid());
      LOG.warn(
          "Dayu: DataNode {} {} only {} bytes/s, and its transfers less than a tenth of their granted rate; its "
              + "bandwidth is {} bytes/s. For {} s plans use the measured rate as its bandwidth",
          node == null ? direction.uuid() : node.name(),
          direction.in() ? "receives" : "sends",
          link.carriesBytesPerSec, capacity, TimeUnit.NANOSECONDS.toSeconds(SLOW_NS));
    }
  }

  private boolean isSlow(Direction direction) {
    Link link = links.get(direction);
    return link != null && link.slow;
  }

  /** Forgets all links. */
  void clear() {
    links.clear();
  }

  /** The load with what slow links carry in place of their bandwidth. */
  NodeLoad of(String uuid, NodeLoad load) {
    Link in = links.get(new Direction(uuid, true));
    Link out = links.get(new Direction(uuid, false));
    return load.withCapacity(carried(in, load.in()), carried(out, load.out()));
  }

  private static long carried(Link link, NodeLoad.Link reported) {
    long bytesPerSec = reported.capacityBytesPerSec();
    return link != null && link.slow ? Math.min(bytesPerSec, link.carriesBytesPerSec) : bytesPerSec;
  }
}
