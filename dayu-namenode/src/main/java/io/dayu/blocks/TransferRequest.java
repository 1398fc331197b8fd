/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

/**
 * One planned copy or rebuild that is to be registered with the NameNode. Immutable.
 *
 * @param block the block; the group, if an internal block of a group is made
 * @param numBytes length of what the target receives: of the block or of the internal block
 * @param risk level of the queue that it was read from
 * @param source UUID of the DataNode that serves it; of a rebuild the first of its sources
 * @param target UUID of the DataNode that receives it
 * @param storageTypes bits by ordinal of {@code StorageType}: what may hold the copy
 * @param group which internal block is made from which sources; null for a block that is no group
 */
public record TransferRequest(BlockKey block, long numBytes, int risk, String source, String target, int storageTypes,
    GroupTransfer group) {

  /** A copy of a block that is no group. */
  public TransferRequest(BlockKey block, long numBytes, int risk, String source, String target, int storageTypes) {
    this(block, numBytes, risk, source, target, storageTypes, null);
  }
}
