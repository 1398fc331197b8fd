/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.blocks.GroupPolicy;
import io.dayu.blocks.GroupTransfer;
import org.apache.hadoop.fs.StorageType;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One erasure-coded group in the block map of a modelled NameNode. Not thread-safe. */
final class ModelGroup {
  static final GroupPolicy RS_3_2 = new GroupPolicy("RS-3-2-1024k", "rs", 3, 2, 1 << 20);
  /** The only one that the storage policy of groups names. */
  static final StorageType STORAGE_TYPE = StorageType.DISK;
  static final GroupPolicy RS_6_3 = new GroupPolicy("RS-6-3-1024k", "rs", 6, 3, 1 << 20);
  /** As HDFS numbers groups; the lowest four bits are the index of an internal block. */
  private static final long FIRST_ID = -(1L << 62);
  private static final long IDS = 16;

  final long id;
  final long generationStamp;
  final GroupPolicy policy;
  /** Length of the data, without parity. */
  final long numBytes;
  /** DataNodes with an internal block, and its index. A NameNode knows one for each DataNode. */
  final Map<String, Integer> holders = new LinkedHashMap<>();
  /** Of {@link #holders}, those whose internal block is to be deleted since another node in service has the same. */
  final Set<String> excess = new HashSet<>();
  /** Of {@link #holders}, those whose internal block is corrupt. */
  final Set<String> corrupt = new HashSet<>();

  ModelGroup(long id, long generationStamp, GroupPolicy policy, long numBytes) {
    this.id = id;
    this.generationStamp = generationStamp;
    this.policy = policy;
    this.numBytes = numBytes;
  }

  /** The same group, as a NameNode knows it before any DataNode has reported. */
  ModelGroup withoutHolders() {
    return new ModelGroup(id, generationStamp, policy, numBytes);
  }

  static long id(int number) {
    return FIRST_ID + number * IDS;
  }

  static boolean isOfGroup(long blockId) {
    return blockId < 0;
  }

  /** From how many internal blocks one is rebuilt: the data units that a group of its length has. */
  int width() {
    return (int) Math.min(policy.dataUnits(), (numBytes - 1) / policy.cellBytes() + 1);
  }

  /** How many internal blocks it is to have. */
  int total() {
    return width() + policy.parityUnits();
  }

  boolean isReal(int index) {
    return index >= 0 && index < policy.dataUnits() + policy.parityUnits()
        && (index < width() || index >= policy.dataUnits());
  }

  /** The indices that its internal blocks have. */
  List<Integer> indices() {
    List<Integer> indices = new ArrayList<>();
    for (int index = 0; index < policy.dataUnits() + policy.parityUnits(); index++) {
      if (isReal(index)) {
        indices.add(index);
      }
    }
    return indices;
  }

  long internalId(int index) {
    return GroupTransfer.internalBlockId(id, index);
  }

  long bytes(int index) {
    return policy.internalBytes(numBytes, index);
  }

  void forget(String uuid) {
    holders.remove(uuid);
    excess.remove(uuid);
    corrupt.remove(uuid);
  }

  @Override
  public String toString() {
    return "group blk_" + id + " of " + policy.name() + ", " + numBytes + " bytes, on " + holders
        + (excess.isEmpty() ? "" : ", excess " + excess) + (corrupt.isEmpty() ? "" : ", corrupt " + corrupt);
  }
}
