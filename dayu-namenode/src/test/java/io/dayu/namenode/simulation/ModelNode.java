/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.IndexedNode;
import org.apache.hadoop.fs.StorageType;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One DataNode as a modelled NameNode knows it. Not thread-safe. */
final class ModelNode {
  /** What an admin has said of it. */
  enum Admin {
    IN_SERVICE, DECOMMISSIONING, DECOMMISSIONED, ENTERING_MAINTENANCE, IN_MAINTENANCE
  }

  /** A copy that stock HDFS has told this node to send. */
  record StockCopy(long blockId, long generationStamp, String target) {
  }

  /**
   * A reconstruction that stock HDFS has told this node to make: from the sources it decodes what they lack, in the
   * order of the indices, for one target after the other, of which it is the first.
   */
  record StockRebuild(long groupId, List<IndexedNode> sources, List<String> targets) {
  }

  final String uuid;
  final String rack;
  boolean alive;
  /** Whether it has sent a heartbeat since it registered first: before that nobody knows what storages it has. */
  boolean hasStorages;
  /** The start of the DataNode that it has registered by. */
  int session;
  long lastReportNs;
  /** Whether it has been silent for longer than a lease, and when it was heard of again. */
  private boolean wasSilent;
  private long heardAgainNs;
  Admin admin = Admin.IN_SERVICE;
  /** By ordinal of {@link StorageType}, what its last heartbeat said of the room there. */
  final long[] roomBytes = new long[StorageType.values().length];
  /** In the same order, of how many volumes its heartbeat told. */
  final int[] volumes = new int[roomBytes.length];
  /** In the same order, the length of the copies to it that have ended since then. */
  final long[] endedBytes = new long[roomBytes.length];
  /** In the same order, blocks scheduled to this node and not received. */
  final int[] scheduled = new int[roomBytes.length];
  /**
   * Whether a full block report has come since this NameNode became active; before that no replica here counts as too
   * many.
   */
  boolean reported;
  /** What the answer to its next heartbeat says. */
  final Set<Long> toDelete = new LinkedHashSet<>();
  /** Of internal blocks that are to be deleted since others have the same: these others, as was known then. */
  final Map<Long, Set<String>> toDeleteBeside = new HashMap<>();
  final List<StockCopy> toSend = new ArrayList<>();
  final List<StockRebuild> toRebuild = new ArrayList<>();

  ModelNode(String uuid, String rack) {
    this.uuid = uuid;
    this.rack = rack;
  }

  /** A DataNode has one storage of each type that it has. */
  static String storageId(String uuid, StorageType type) {
    return "DS-" + uuid + "-" + type;
  }

  void reported(long leaseNs, long nowNs) {
    if (nowNs - lastReportNs > leaseNs) {
      wasSilent = true;
      heardAgainNs = nowNs;
    }
    lastReportNs = nowNs;
  }

  /** Whether it is silent for longer than a lease, or was until less than a lease ago. */
  boolean isOrWasSilent(long leaseNs, long nowNs) {
    return nowNs - lastReportNs > leaseNs || wasSilent && nowNs - heardAgainNs < leaseNs;
  }

  /** As DatanodeDescriptor.chooseStorage4Block: beside what is scheduled, each as long as this. */
  boolean hasRoom(StorageType type, long numBytes) {
    return roomBytes[type.ordinal()] - scheduled[type.ordinal()] * numBytes >= numBytes;
  }

  /** The same, whatever is scheduled. */
  boolean couldHold(ModelBlock block) {
    return roomBytes[block.storageType.ordinal()] >= block.numBytes;
  }

  int scheduled() {
    return Arrays.stream(scheduled).sum();
  }

  boolean inMaintenance() {
    return admin == Admin.ENTERING_MAINTENANCE || admin == Admin.IN_MAINTENANCE;
  }

  boolean inService() {
    return alive && admin == Admin.IN_SERVICE;
  }
}
