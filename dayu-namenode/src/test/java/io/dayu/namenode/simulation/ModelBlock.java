/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import org.apache.hadoop.fs.StorageType;

import java.util.LinkedHashSet;
import java.util.Set;

/** One block in the block map of a modelled NameNode. Not thread-safe. */
final class ModelBlock {
  final long id;
  long generationStamp;
  long numBytes;
  int expected;
  /** The only one that its storage policy names. */
  final StorageType storageType;
  boolean underConstruction;
  /** DataNodes with a replica of the present generation, excess ones among them. */
  final Set<String> replicas = new LinkedHashSet<>();
  /** DataNodes with a replica of an older generation, which is to be deleted. */
  final Set<String> outdated = new LinkedHashSet<>();
  /** Of {@link #replicas}, those that are to be deleted since there are too many. */
  final Set<String> excess = new LinkedHashSet<>();
  /** Of {@link #replicas}, those that this NameNode was told are corrupt. */
  final Set<String> corrupt = new LinkedHashSet<>();

  /** On disks. */
  ModelBlock(long id, long generationStamp, long numBytes, int expected) {
    this(id, generationStamp, numBytes, expected, StorageType.DISK);
  }

  ModelBlock(long id, long generationStamp, long numBytes, int expected, StorageType storageType) {
    this.id = id;
    this.generationStamp = generationStamp;
    this.numBytes = numBytes;
    this.expected = expected;
    this.storageType = storageType;
  }

  @Override
  public String toString() {
    return "blk_" + id + "_" + generationStamp + (underConstruction ? " (under construction)" : "") + " of " + numBytes
        + " bytes, "
        + expected + " wanted on " + storageType + ", on " + replicas + (excess.isEmpty() ? "" : ", excess " + excess)
        + (corrupt.isEmpty() ? "" : ", corrupt " + corrupt)
        + (outdated.isEmpty() ? "" : ", outdated " + outdated);
  }
}
