/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import org.apache.hadoop.fs.StorageType;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Says to which type of storage further copies go, by the block's storage policy and by what types have room. Needs no
 * lock: storage policies do not change while a NameNode runs.
 */
final class CopyStorageTypes {
  private static final int MAX_KEPT_COPIES = 15;

  /** How many of the next copies go to one type of storage, and which; null if there is none. */
  record Choice(int count, StorageType type) {
    /** As bits by ordinal. */
    int bit() {
      return type == null ? 0 : 1 << type.ordinal();
    }
  }

  private final BlockManager blocks;
  /** By type, the most room of a volume of a node in service; any room before it is known. */
  private volatile long[] maxRoomBytes;
  /** Storage policies do not change while a NameNode runs, so there are few different keys. */
  private final Map<Long, Choice> choices = new ConcurrentHashMap<>();

  CopyStorageTypes(BlockManager blocks) {
    this.blocks = blocks;
  }

  /** @param maxBytes by storage type, the most room of a volume of a node in service */
  void setRoom(long[] maxBytes) {
    maxRoomBytes = maxBytes;
  }

  /** By storage type, the most room of a volume of a node in service; null before it is known. */
  long[] maxRoomBytes() {
    return maxRoomBytes;
  }

  /** Bits of the storage types that have no room for {@code bytes} anywhere: a policy's fallbacks take their place. */
  int unavailable(long bytes) {
    long[] max = maxRoomBytes;
    int types = 0;
    for (int type = 0; max != null && type < max.length; type++) {
      types |= max[type] < Math.max(1, bytes) ? 1 << type : 0;
    }
    return types;
  }

  /**
   * The storage types of further copies, which follow from the policy, the types of those chosen, how many are to come
   * and which types have no room.
   */
  Choice choose(byte policyId, List<DatanodeStorageInfo> chosen, int copies, int unavailable) {
    if (chosen.size() > MAX_KEPT_COPIES || copies > MAX_KEPT_COPIES) {
      return chooseAnew(policyId, chosen, copies, unavailable);
    }
    // Four bits for the number of replicas of each type, above them what is unavailable, below them copies and policy.
    long key = policyId & 0xff | copies << 8 | (long) unavailable << 16 + 4 * StorageType.values().length;
    for (int i = 0; i < chosen.size(); i++) {
      key += 1L << 16 + 4 * chosen.get(i).getStorageType().ordinal();
    }
    Choice choice = choices.get(key);
    if (choice == null) {
      choice = chooseAnew(policyId, chosen, copies, unavailable);
      choices.put(key, choice);
    }
    return choice;
  }

  private Choice chooseAnew(byte policyId, List<DatanodeStorageInfo> chosen, int copies, int unavailable) {
    EnumSet<StorageType> without = EnumSet.noneOf(StorageType.class);
    for (StorageType type : StorageType.values()) {
      if ((unavailable & 1 << type.ordinal()) != 0) {
        without.add(type);
      }
    }
    List<StorageType> present = chosen.stream().map(DatanodeStorageInfo::getStorageType).toList();
    List<StorageType> types =
        blocks.getStoragePolicy(policyId).chooseStorageTypes((short) (chosen.size() + copies), present, without, false);
    int ofFirst = types.isEmpty() ? 0 : (int) types.stream().takeWhile(types.get(0)::equals).count();
    return new Choice(ofFirst, ofFirst == 0 ? null : types.get(0));
  }
}
