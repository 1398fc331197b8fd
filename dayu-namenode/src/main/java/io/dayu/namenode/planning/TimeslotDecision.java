/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.namenode.transfers.Attempt;

import java.util.List;

/**
 * The decisions of one timeslot, carried out in the order of the components. Immutable.
 *
 * @param evicted running transfers that are to leave their targets
 * @param redirected sources and rates of running transfers from now on
 * @param copies new transfers, highest risk first
 * @param forStock blocks that stock HDFS is to copy
 * @param added blocks that no timeslot before has known of
 * @param plannedBytes bytes of the new transfers and of what is left of the kept ones
 * @param volumeBytes what could be transferred within the horizon
 * @param planMs how long it took to read what waits and to plan, without the commits
 */
public record TimeslotDecision(List<Attempt> evicted, List<Redirection> redirected, List<Copy> copies,
    List<ForStock> forStock, List<WaitingBlock> added, long plannedBytes, long volumeBytes, long planMs) {

  /**
   * A running transfer with the sources and rate that it has from now on.
   *
   * @param sources UUIDs; of a rebuild each in the place of the one that the transfer has there
   */
  public record Redirection(Attempt attempt, List<String> sources, long rateBytesPerSec) {
  }

  /** A new transfer; {@code block} is what it was planned for, with all nodes that could send it. */
  public record Copy(TransferRequest request, WaitingBlock block, long rateBytesPerSec) {
  }

  /** A block that stock HDFS is to copy, and why. */
  public record ForStock(WaitingBlock block, WaitReason reason) {
  }

  public List<TransferRequest> requests() {
    return copies.stream().map(Copy::request).toList();
  }
}
