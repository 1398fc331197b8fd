/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Settings;
import io.dayu.namenode.planning.TimeslotPlanner;
import io.dayu.namenode.transfers.TransferTracker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Brings the profile into force that the settings name for this moment ({@link Settings#followProfile}), on the active
 * NameNode and on standbys alike. The recovery loop's own.
 */
final class ProfileControl {
  private static final Logger LOG = LoggerFactory.getLogger(ProfileControl.class);
  private static final long PERIOD_NS = TimeUnit.SECONDS.toNanos(1);
  /** Blocks of the highest risk that are looked at: some may fit on no DataNode, and wait for ever. */
  private static final int MAX_READ = 100;
  /** The same where none of these can be copied. */
  private static final int MAX_READ_ON = 2_000;

  private final Settings settings;
  private final BlockManagement blocks;
  private final TransferTracker tracker;
  private final TimeslotPlanner timeslots;
  private final LongSupplier wallClockMs;
  private long followedNs;
  private boolean followed;

  ProfileControl(Settings settings, BlockManagement blocks, TransferTracker tracker, TimeslotPlanner timeslots,
      LongSupplier wallClockMs) {
    this.settings = settings;
    this.blocks = blocks;
    this.tracker = tracker;
    this.timeslots = timeslots;
    this.wallClockMs = wallClockMs;
  }

  /** Follows the clock and the queues, once a second. */
  void tick(long nowNs) {
    if (!followed || nowNs - followedNs >= PERIOD_NS) {
      follow(nowNs);
    }
  }

  /** The same at once: the plan that is made next must be one of the right profile. */
  void follow(long nowNs) {
    followed = true;
    followedNs = nowNs;
    settings.followProfile(Instant.ofEpochMilli(wallClockMs.getAsLong()), this::highestRiskWaits)
        .ifPresent(change -> LOG.info("Dayu: profile {}", change));
  }

  private boolean highestRiskWaits() {
    return blocks.keepsQueues() && !blocks.inSafeMode()
        && (tracker.all().stream().anyMatch(attempt -> attempt.live() && attempt.risk() == 0)
            || canCopyOne(MAX_READ));
  }

  /** Whether Dayu can copy one of the first blocks of the highest risk; looks at more where it can copy none. */
  private boolean canCopyOne(int limit) {
    List<WaitingBlock> head = blocks.readHighestRisk(limit);
    return head.stream().anyMatch(
        block -> !block.isForStock() && !block.lacksSources() && !timeslots.isUnplaceable(block.key().blockId()))
        || limit < MAX_READ_ON && head.size() >= limit && canCopyOne(MAX_READ_ON);
  }
}
