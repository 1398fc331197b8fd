/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.exchange;

import io.dayu.blocks.BlockKey;

import java.util.ArrayList;
import java.util.List;

/**
 * A transfer that an agent is running, as it reports it.
 *
 * @param attempt the transfer's id
 * @param source where it reads now
 * @param storageType by name; another version of Dayu may have granted one that is not known here
 * @param doneBytes verified bytes, on disk
 * @param rateBytesPerSec what it was granted
 * @param achievedBytesPerSec how much it received over its last second or so
 * @param failedSource UUID of the source that has failed it; null if none has
 * @param failure why, in printable text
 * @param rebuild what it reads to rebuild an internal block of a group; null if it pulls a block
 */
public record RunningTransfer(long attempt, BlockKey block, long numBytes, SourceAddress source, String storageType,
    long doneBytes, long rateBytesPerSec, long achievedBytesPerSec, String failedSource, String failure,
    Rebuild rebuild) {

  /**
   * What a rebuild reads.
   *
   * @param furtherSources where it reads besides {@link RunningTransfer#source}
   * @param slowestSource UUID of the source that it has waited for most; null if it waited for none
   * @param waitedMs how long, in its last second or so
   */
  public record Rebuild(GroupSpec group, List<SourceAddress> furtherSources, String slowestSource, int waitedMs) {
  }

  /** A transfer that pulls a block. */
  public RunningTransfer(long attempt, BlockKey block, long numBytes, SourceAddress source, String storageType,
      long doneBytes, long rateBytesPerSec, long achievedBytesPerSec, String failedSource, String failure) {
    this(attempt, block, numBytes, source, storageType, doneBytes, rateBytesPerSec, achievedBytesPerSec, failedSource,
        failure, null);
  }

  /** All nodes that it reads. */
  public List<SourceAddress> sources() {
    if (rebuild == null) {
      return List.of(source);
    }
    List<SourceAddress> all = new ArrayList<>(1 + rebuild.furtherSources().size());
    all.add(source);
    all.addAll(rebuild.furtherSources());
    return all;
  }
}
