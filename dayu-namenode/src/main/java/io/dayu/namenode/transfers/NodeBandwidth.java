/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.LiveNode;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.rules.RecoveryBandwidth;
import org.apache.hadoop.fs.StorageType;

/**
 * What recovery may use of a node by the settings: the bandwidth of equation 1 ({@link RecoveryBandwidth}), and how
 * many transfers at once. Immutable.
 */
public final class NodeBandwidth {
  /** For the adopted transfers of a node of unknown bandwidth. */
  private static final long MIN_ADOPTED_BYTES_PER_SEC = 1 << 20;

  private final Settings settings;
  private final RecoveryBandwidth bandwidth;

  public NodeBandwidth(Settings settings) {
    this.settings = settings;
    this.bandwidth = new RecoveryBandwidth(settings.ratio(Setting.MAX_UTILIZATION), true);
  }

  /** Equation 1 for one direction of a node's link, in bytes a second. */
  public long recover(NodeLoad.Link link) {
    return recover(link, 1);
  }

  /** Equation 1 for what a node receives, or what its disks take of it if that is less. */
  public long receive(NodeLoad load) {
    return load.withinDisks(recover(load.in()));
  }

  /** The same; where blocks are rebuilt now, only the network is the limit: less is written than received. */
  public long receive(NodeLoad load, boolean rebuildsNow) {
    return rebuildsNow ? recover(load.networkIn()) : receive(load);
  }

  /** Equation 1 for a link that blocks at the highest risk have to cross: with more than B_min. */
  public long recoverAtHighestRisk(NodeLoad.Link link) {
    return recover(link, Settings.HIGHEST_RISK_MIN_FACTOR);
  }

  private long recover(NodeLoad.Link link, int minFactor) {
    long total = link.capacityBytesPerSec();
    return bandwidth.bytesPerSec(total, link.foregroundBytesPerSec(), minFactor * settings.minBytesPerSec(total));
  }

  /** What a node of unknown bandwidth may send: B_min; if that is not set, it follows from a typical node's B_total. */
  public long recoverWithoutAgent(long typicalTotal) {
    return (long) settings.minBytesPerSec(typicalTotal);
  }

  /**
   * What a transfer that is adopted may have until it is planned: as much as it had, but within what a plan could give
   * it. So an agent cannot choose a rate at which the transfer may take hours.
   *
   * @param rateBytesPerSec what its agent says that it had
   * @param load what the agent last reported, or null
   * @param transfers how many are adopted there
   */
  public long adopted(long rateBytesPerSec, NodeLoad load, int transfers) {
    long total = load == null ? 0 : load.in().capacityBytesPerSec();
    long max = load == null ? 0 : receive(load);
    long min = Math.max(MIN_ADOPTED_BYTES_PER_SEC, (long) settings.minBytesPerSec(total)) / transfers;
    return Math.max(min, Math.min(rateBytesPerSec, max));
  }

  /** Transfers that a node may serve at once. */
  public int readStreams(LiveNode node) {
    long streams = 0;
    for (StorageType type : StorageType.values()) {
      streams += node.space().volumes()[type.ordinal()] * settings.forStorageType(Setting.VOLUME_MAX_STREAMS, type);
    }
    return (int) Math.min(streams, settings.count(Setting.SOURCE_MAX_STREAMS));
  }
}
