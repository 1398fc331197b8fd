/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

/**
 * Names one version of a block; an append makes a new one. Keys of one version are equal. A key that was read from the
 * block management also carries what that has the block as. That object changes, under the locks of the block
 * management, and only it may look into it. Who keeps keys for longer than a block waits or a transfer runs, or hands
 * them to another thread, keeps the {@link #name}.
 *
 * @param stored what the block management has the block as, so that it need not look for it; else null. It is not part
 *     of the name: keys are equal without
 */
public record BlockKey(long blockId, long generationStamp, Object stored) {
  /** A key of a block that is to be looked for. */
  public BlockKey(long blockId, long generationStamp) {
    this(blockId, generationStamp, null);
  }

  /** The key without what the block management has the block as. */
  public BlockKey name() {
    return stored == null ? this : new BlockKey(blockId, generationStamp);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BlockKey key && key.blockId == blockId && key.generationStamp == generationStamp;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(blockId) + Long.hashCode(generationStamp);
  }

  @Override
  public String toString() {
    return "blk_" + blockId + "_" + generationStamp;
  }
}
