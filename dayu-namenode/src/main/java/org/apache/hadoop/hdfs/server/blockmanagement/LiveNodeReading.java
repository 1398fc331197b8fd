/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.LiveNode;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;

import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads the live DataNodes, and how the placement policy judges them. Thread-safe; takes no namesystem lock.
 */
final class LiveNodeReading {
  private final BlockManager blocks;
  private final BlockReading reading;
  private final ArrivedCopies arrived;
  /** Where the placement policy writes, at DEBUG, why it refuses a node; it clears that when it chooses targets. */
  private final ThreadLocal<?> refusals;

  LiveNodeReading(BlockManager blocks, BlockReading reading, ArrivedCopies arrived)
      throws ReflectiveOperationException {
    this.blocks = blocks;
    this.reading = reading;
    this.arrived = arrived;
    this.refusals = (ThreadLocal<?>) MethodHandles
        .privateLookupIn(BlockPlacementPolicyDefault.class, MethodHandles.lookup())
        .findStaticVarHandle(BlockPlacementPolicyDefault.class, "debugLoggingBuilder", ThreadLocal.class).get();
  }

  /**
   * The live DataNodes, as {@code DatanodeManager.getDatanodeListForReport} has them. That one holds DatanodeManager's
   * monitor, which registrations and clients' calls need, while it looks at every node; this holds the monitor of the
   * heartbeats for a copy of the list.
   */
  private List<DatanodeDescriptor> nodes() {
    DatanodeManager manager = blocks.getDatanodeManager();
    List<DatanodeDescriptor> live = new ArrayList<>();
    for (DatanodeDescriptor node : manager.getHeartbeatManager().getDatanodes()) {
      if (node.isAlive() && !node.isDisallowed() && !manager.isDatanodeDead(node)) {
        live.add(node);
      }
    }
    return live;
  }

  /** The live DataNodes; also tells {@link BlockReading} how much room they have. */
  List<LiveNode> read() {
    long staleIntervalMs = blocks.getDatanodeManager().getStaleInterval();
    Map<DatanodeDescriptor, long[]> arrivedBytes = arrived.bytesByType();
    List<LiveNode> live = new ArrayList<>();
    List<LiveNode> targets = new ArrayList<>();
    List<LiveNode> laterTargets = new ArrayList<>();
    long[] maxRoomBytes = new long[StorageType.values().length];
    for (DatanodeDescriptor node : nodes()) {
      long[] maxVolumeFreeBytes = new long[StorageType.values().length];
      int[] volumes = new int[StorageType.values().length];
      long freeBytes = 0;
      for (DatanodeStorageInfo storage : node.getStorageInfos()) {
        if (storage.getState() == DatanodeStorage.State.NORMAL) {
          int type = storage.getStorageType().ordinal();
          // One volume has to hold a block: the room of several does not add up.
          maxVolumeFreeBytes[type] = Math.max(maxVolumeFreeBytes[type], storage.getRemaining());
          volumes[type]++;
          freeBytes += storage.getRemaining();
        }
      }
      long[] arrivedByType = arrivedBytes.get(node);
      for (int type = 0; arrivedByType != null && type < arrivedByType.length; type++) {
        maxVolumeFreeBytes[type] = Math.max(0, maxVolumeFreeBytes[type] - arrivedByType[type]);
      }
      boolean isExcluded = isExcludedAsSlow(node);
      LiveNode liveNode = new LiveNode(
          new LiveNode.Address(node.getDatanodeUuid(), node.getIpAddr(), node.getHostName(), node.getXferPort()),
          blocks.getDatanodeManager().getNetworkTopology().getRack(node.getNetworkLocation()),
          new LiveNode.Space(maxVolumeFreeBytes, volumes, freeBytes),
          new LiveNode.Status(node.isInService() && !node.isStale(staleIntervalMs) && !isExcluded,
              node.isDecommissionInProgress() || node.isEnteringMaintenance()),
          new LiveNode.Placement(reading.upgradeDomainFactor() > 0 ? BlockReading.upgradeDomain(node) : null,
              xceiversIfOverloaded(node), prefersEmptierNodes() ? node.getDfsUsedPercent() : 0));
      live.add(liveNode);
      if (node.isInService()) {
        if (liveNode.target()) {
          targets.add(liveNode);
        }
        if (!isExcluded) {
          laterTargets.add(liveNode);
        }
        for (int type = 0; type < maxRoomBytes.length; type++) {
          maxRoomBytes[type] = Math.max(maxRoomBytes[type], maxVolumeFreeBytes[type]);
        }
      }
    }
    // This thread asks the policy about nodes, and seldom has it choose.
    refusals.remove();
    reading.setRoom(targets, laterTargets, maxRoomBytes);
    return live;
  }

  /** The live DataNodes with a storage of which this NameNode has had no full block report since they registered. */
  int countWithoutBlockReport() {
    int count = 0;
    for (DatanodeDescriptor node : nodes()) {
      DatanodeStorageInfo[] storages = node.getStorageInfos();
      boolean silent = storages.length == 0;
      for (DatanodeStorageInfo storage : storages) {
        silent |= storage.getBlockReportCount() == 0 && storage.getState() == DatanodeStorage.State.NORMAL
            && storage.getStorageType() != StorageType.PROVIDED;
      }
      count += silent ? 1 : 0;
    }
    return count;
  }

  /** Whether the placement policy leaves the node out since its peers find it slow. */
  private boolean isExcludedAsSlow(DatanodeDescriptor node) {
    return blocks.getBlockPlacementPolicy() instanceof BlockPlacementPolicyDefault policy
        && policy.getExcludeSlowNodesEnabled()
        && DatanodeManager.getSlowNodesUuidSet().contains(node.getDatanodeUuid());
  }

  private int xceiversIfOverloaded(DatanodeDescriptor node) {
    return blocks.getBlockPlacementPolicy() instanceof BlockPlacementPolicyDefault policy && policy.considerLoad
        && policy.excludeNodeByLoad(node) ? node.getXceiverCount() : 0;
  }

  private boolean prefersEmptierNodes() {
    BlockPlacementPolicy policy = blocks.getBlockPlacementPolicy();
    return policy instanceof AvailableSpaceBlockPlacementPolicy
        || policy instanceof AvailableSpaceRackFaultTolerantBlockPlacementPolicy;
  }
}
