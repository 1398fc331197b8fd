/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.exchange;

import java.util.Set;

/**
 * What a node can carry and what foreground takes of it: as its agent reports it, or as plans count on it. Immutable.
 *
 * @param in what it receives
 * @param out what it sends
 * @param volumes healthy volumes
 * @param writeStreams transfers that these may write at once
 * @param meter what the agent's meter counts besides this DataNode; null if it counts this DataNode alone
 * @param codecs by which the agent can rebuild internal blocks of erasure-coded groups; none if it cannot
 * @param networkInBytesPerSec what the network carries to it: B_total of {@code in}, or more where the volumes are
 *     slower
 * @param disksBytesPerSec what its disks take of recovery, where they are the limit; 0 if they are not
 */
public record NodeLoad(Link in, Link out, int volumes, int writeStreams, SharedMeter meter, Set<String> codecs,
    long networkInBytesPerSec, long disksBytesPerSec) {
  /**
   * One direction of a node's link.
   *
   * @param capacityBytesPerSec B_total: the network's, or the healthy volumes' where they are slower; 0 = unknown
   * @param foregroundBytesPerSec everything that is not Dayu's recovery
   */
  public record Link(long capacityBytesPerSec, long foregroundBytesPerSec) {
    /** The link with this bandwidth; the same object if it has it. */
    private Link withCapacity(long bytesPerSec) {
      return bytesPerSec == capacityBytesPerSec ? this : new Link(bytesPerSec, foregroundBytesPerSec);
    }

    /** The link with this foreground; the same object if it has it. */
    private Link withForeground(long bytesPerSec) {
      return bytesPerSec == foregroundBytesPerSec ? this : new Link(capacityBytesPerSec, bytesPerSec);
    }
  }

  /**
   * A meter that counts the traffic of several agents, those of DataNodes on one host: network and foreground are
   * totals for all of them.
   *
   * @param id equal for all of them
   * @param networkBytesPerSec what the network carries in each direction, whatever the volumes
   * @param recoveryInBytesPerSec what this agent's own recovery receives
   * @param recoveryOutBytesPerSec what it sends
   */
  public record SharedMeter(long id, long networkBytesPerSec, long recoveryInBytesPerSec, long recoveryOutBytesPerSec) {
  }

  /** The load of a node with a meter of its own. */
  public NodeLoad(Link in, Link out, int volumes, int writeStreams) {
    this(in, out, volumes, writeStreams, null);
  }

  /** The load of a node whose agent cannot rebuild. */
  public NodeLoad(Link in, Link out, int volumes, int writeStreams, SharedMeter meter) {
    this(in, out, volumes, writeStreams, meter, Set.of(), in.capacityBytesPerSec(), 0);
  }

  /** The load of a node whose agent can rebuild internal blocks of groups by these codecs. */
  public NodeLoad withCodecs(Set<String> rebuildCodecs) {
    return new NodeLoad(in, out, volumes, writeStreams, meter, rebuildCodecs, networkInBytesPerSec, disksBytesPerSec);
  }

  /** Whether the agent can rebuild internal blocks of groups. */
  public boolean rebuilds() {
    return !codecs.isEmpty();
  }

  /** Whether the agent can rebuild internal blocks of groups of this codec. */
  public boolean rebuilds(String codec) {
    return codecs.contains(codec);
  }

  /** The load of a node to which the network carries this, but no less than B_total; the same object if it does. */
  public NodeLoad withNetworkIn(long bytesPerSec) {
    long network = Math.max(in.capacityBytesPerSec, bytesPerSec);
    return network == networkInBytesPerSec ? this
        : new NodeLoad(in, out, volumes, writeStreams, meter, codecs, network, disksBytesPerSec);
  }

  /** The load of a node whose disks take this of recovery; 0 if they are not the limit. */
  public NodeLoad withDisks(long bytesPerSec) {
    return bytesPerSec == disksBytesPerSec ? this
        : new NodeLoad(in, out, volumes, writeStreams, meter, codecs, networkInBytesPerSec, bytesPerSec);
  }

  /** Whether its transfers wait for its disks, as where these serve clients first. */
  public boolean isLimitedByDisks() {
    return disksBytesPerSec > 0;
  }

  /** No more than the disks take, where they are the limit. */
  public long withinDisks(long bytesPerSec) {
    return isLimitedByDisks() ? Math.min(bytesPerSec, disksBytesPerSec) : bytesPerSec;
  }

  /**
   * The load with these bandwidths; the same object if it has them. The network carries no more than the one that is
   * changed.
   */
  public NodeLoad withCapacity(long inBytesPerSec, long outBytesPerSec) {
    NodeLoad changed = withLinks(in.withCapacity(inBytesPerSec), out.withCapacity(outBytesPerSec));
    return changed.in == in ? changed : changed.withNetworkIn(0);
  }

  /**
   * What its traffic is held against: where internal blocks of groups are rebuilt there, more comes by the network than
   * is written, so that the volumes are no limit of it.
   *
   * @param rebuildsNow whether some are rebuilt there now
   */
  public Link inLink(boolean rebuildsNow) {
    return rebuildsNow ? networkIn() : in;
  }

  /** The network's link of what the node receives, whatever the volumes. */
  public Link networkIn() {
    return in.withCapacity(networkInBytesPerSec);
  }

  /** The load with this foreground; the same object if it has it. */
  public NodeLoad withForeground(long inBytesPerSec, long outBytesPerSec) {
    return withLinks(in.withForeground(inBytesPerSec), out.withForeground(outBytesPerSec));
  }

  private NodeLoad withLinks(Link newIn, Link newOut) {
    return newIn == in && newOut == out ? this : new NodeLoad(newIn, newOut, volumes, writeStreams, meter, codecs,
        networkInBytesPerSec, disksBytesPerSec);
  }

  /** The load of a node that is to receive one transfer at a time; none, if it has no volume. */
  public NodeLoad withOneWriteStream() {
    return new NodeLoad(in, out, volumes, Math.min(volumes, 1), meter, codecs, networkInBytesPerSec,
        disksBytesPerSec);
  }
}
