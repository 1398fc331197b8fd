/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.WaitingBlock;
import io.dayu.namenode.cluster.LiveCluster;
import io.dayu.namenode.planning.TimeslotPlanner;
import io.dayu.namenode.recording.RecoveryJournal;
import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.TransferTracker;

import java.util.List;
import java.util.Map;

/** What the journal sees of the recovery. Owned by the recovery loop; not thread-safe. */
final class JournalView implements RecoveryJournal.View {
  private final BlockManagement blocks;
  private final DayuStatus status;
  private final LiveCluster cluster;
  private final TransferTracker tracker;
  private final TimeslotPlanner timeslots;

  JournalView(BlockManagement blocks, DayuStatus status, LiveCluster cluster, TransferTracker tracker,
      TimeslotPlanner timeslots) {
    this.blocks = blocks;
    this.status = status;
    this.cluster = cluster;
    this.tracker = tracker;
    this.timeslots = timeslots;
  }

  @Override
  public String state() {
    return status.state().name();
  }

  @Override
  public Map<String, LiveNode> nodes() {
    return cluster.nodes();
  }

  @Override
  public List<Attempt> transfers() {
    return tracker.all();
  }

  @Override
  public boolean isIdle() {
    return tracker.isEmpty() && blocks.waitingBlocks() == 0;
  }

  @Override
  public int readWaiting(int fromRow, int limit, List<WaitingBlock> read) {
    return timeslots.readWaiting(fromRow, limit, read);
  }
}
