/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import java.util.List;

/**
 * An erasure-coded block that stock HDFS reconstructs now. Its first target reads what it needs from the sources, makes
 * the missing internal blocks, and sends the other targets theirs. Where internal blocks are only copied, each copy is
 * one of these, with one target and one source that is read. Immutable.
 *
 * @param sources UUIDs of the DataNodes that have an internal block
 * @param neededSources from how many of them one is read
 * @param targets UUIDs of the DataNodes that are to have an internal block, at least one
 * @param internalBytes length of the longest internal block
 * @param ageMs since when stock has scheduled it
 */
public record StockReconstruction(List<String> sources, int neededSources, List<String> targets, long internalBytes,
    long ageMs) {
  /** Bytes that it moves between DataNodes. */
  public long movedBytes() {
    return (neededSources + targets.size() - 1L) * internalBytes;
  }
}
