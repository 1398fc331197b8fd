/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;

import java.util.List;

/** Names stored blocks in our own records. No state. */
final class BlockRecords {
  private BlockRecords() {
  }

  static BlockKey keyOf(BlockInfo block) {
    return new BlockKey(block.getBlockId(), block.getGenerationStamp(), block);
  }

  /** What is left to stock HDFS, for this reason. */
  static WaitingBlock forStock(BlockInfo block, int level, WaitReason reason) {
    return forStock(keyOf(block), block.getNumBytes(), level, reason);
  }

  /** The same of what was read of a block. */
  static WaitingBlock forStock(BlockKey key, long numBytes, int level, WaitReason reason) {
    return new WaitingBlock(key, numBytes, level, 1, List.of(), List.of(), List.of(), false, 0, reason);
  }
}
