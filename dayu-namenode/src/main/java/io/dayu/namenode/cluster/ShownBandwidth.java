/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.cluster;

import io.dayu.namenode.exchange.NodeLoad;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/**
 * Bounds what a claim of bandwidth attracts by what the node has shown. Owned by the recovery loop; not thread-safe.
 *
 * <p><b>Goal.</b> Plans give a node work in proportion to the bandwidth that its agent reports, so one false report
 * could attract all of it.
 *
 * <p><b>Rule.</b> Of each direction of a node's link plans count on no more for recovery than {@link #TYPICAL_FACTOR}
 * times the median of what agents report, or {@link #SHOWN_FACTOR} times what transfers that reached the block map have
 * moved over it in {@link #WINDOW_NS}, whichever is more. So nodes like the others are never bounded, a node that is
 * ten times as fast as most is known as such after a few windows, and it stays known. Where half of the agents lie, the
 * median is a lie as well.
 */
public final class ShownBandwidth {
  private static final long TYPICAL_FACTOR = 2;
  private static final long SHOWN_FACTOR = 4;
  private static final long LATELY_NS = TimeUnit.MINUTES.toNanos(1);
  static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(5);

  /** What has been seen of one direction of a link. */
  private static final class Link {
    private long windowBeganNs;
    private long windowBytes;
    private long maxBytesPerSec;
    private long movedNs;

    private void moved(long bytes, long nowNs) {
      movedNs = nowNs;
      if (nowNs - windowBeganNs >= WINDOW_NS) {
        windowBeganNs = nowNs;
        windowBytes = 0;
      }
      windowBytes += bytes;
      maxBytesPerSec = Math.max(maxBytesPerSec, windowBytes / TimeUnit.NANOSECONDS.toSeconds(WINDOW_NS));
    }
  }

  private final Map<String, Link> received = new HashMap<>();
  private final Map<String, Link> sent = new HashMap<>();

  /** The block map has the replica that this transfer made. */
  public void confirmed(String source, String target, long bytes, long nowNs) {
    link(sent, source, nowNs).moved(bytes, nowNs);
    link(received, target, nowNs).moved(bytes, nowNs);
  }

  private static Link link(Map<String, Link> links, String uuid, long nowNs) {
    return links.computeIfAbsent(uuid, unknown -> {
      Link link = new Link();
      link.windowBeganNs = nowNs;
      return link;
    });
  }

  /**
   * The loads, by UUID, with bandwidths that are believed.
   *
   * @param alpha up to which fraction of a link recovery may use it together with clients
   */
  Map<String, NodeLoad> bounded(Map<String, NodeLoad> loads, double alpha) {
    long typicalIn = TYPICAL_FACTOR * median(loads, load -> load.in().capacityBytesPerSec());
    long typicalNetwork = TYPICAL_FACTOR * median(loads, NodeLoad::networkInBytesPerSec);
    long typicalOut = TYPICAL_FACTOR * median(loads, load -> load.out().capacityBytesPerSec());
    Map<String, NodeLoad> bounded = new HashMap<>(loads);
    bounded.replaceAll((uuid, load) -> {
      long in = bound(load.in(), typicalIn, received.get(uuid), alpha);
      long out = bound(load.out(), typicalOut, sent.get(uuid), alpha);
      return load.withCapacity(in, out)
          .withNetworkIn(bound(load.networkIn(), typicalNetwork, received.get(uuid), alpha));
    });
    return bounded;
  }

  /** The bandwidth of which equation 1 leaves recovery no more than it leaves on an idle link of the bound. */
  private static long bound(NodeLoad.Link claimed, long typical, Link link, double alpha) {
    long shown = link == null ? 0 : SHOWN_FACTOR * link.maxBytesPerSec;
    return (long) Math.min(claimed.capacityBytesPerSec(),
        Math.max(typical, shown) + claimed.foregroundBytesPerSec() / alpha);
  }

  /** The lower one where there are two. */
  private static long median(Map<String, NodeLoad> loads, ToLongFunction<NodeLoad> bandwidth) {
    long[] claims = loads.values().stream().mapToLong(bandwidth).filter(claim -> claim > 0).sorted().toArray();
    return claims.length == 0 ? 0 : claims[(claims.length - 1) / 2];
  }

  /** Whether a transfer to this node has reached the block map lately. */
  boolean hasReceived(String target, long nowNs) {
    Link link = received.get(target);
    return link != null && nowNs - link.movedNs <= LATELY_NS;
  }

  public void clear() {
    received.clear();
    sent.clear();
  }
}
