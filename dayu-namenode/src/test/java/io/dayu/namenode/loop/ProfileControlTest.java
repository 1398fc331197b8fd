/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.WaitReason;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.Profile;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.planning.TimeslotPlanner;
import io.dayu.namenode.transfers.TransferTracker;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import static io.dayu.blocks.WaitingBlockBuilder.waitingBlock;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.longThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

class ProfileControlTest {
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

  private final BlockManagement blocks = mock(BlockManagement.class);
  private final TransferTracker tracker = mock(TransferTracker.class);
  private final TimeslotPlanner timeslots = mock(TimeslotPlanner.class);
  private Settings settings;
  private ProfileControl profiles;

  @BeforeEach
  void gentle() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("dayu.profile", "gentle");
    settings = Settings.read(conf);
    profiles = new ProfileControl(settings, blocks, tracker, timeslots, () -> 0);
    when(tracker.all()).thenReturn(List.of());
    when(blocks.keepsQueues()).thenReturn(true);
    when(blocks.readHighestRisk(anyInt())).thenReturn(List.of());
  }

  private static WaitingBlock block(long id, WaitReason stockReason) {
    return waitingBlock(id).bytes(10).risk(0).storageTypes(1).forStock(stockReason).build();
  }

  private void highestRiskWaits(long blockId) {
    when(blocks.readHighestRisk(anyInt())).thenReturn(List.of(block(blockId, null)));
  }

  @Test
  void highestRisk_bringsBalanced_untilNoneWaits() {
    profiles.tick(0);
    assertEquals(Profile.GENTLE, settings.profile());
    highestRiskWaits(7);
    profiles.tick(SECOND_NS / 2);
    assertEquals(Profile.GENTLE, settings.profile(), "looked at once a second");
    profiles.follow(SECOND_NS / 2);
    assertEquals(Profile.BALANCED, settings.profile(), "but before each plan");
    when(blocks.readHighestRisk(anyInt())).thenReturn(List.of());
    profiles.tick(2 * SECOND_NS);
    assertEquals(Profile.GENTLE, settings.profile());
  }

  @Test
  void blockThatFitsOnNoDataNode_doesNotCount() {
    highestRiskWaits(7);
    when(timeslots.isUnplaceable(7)).thenReturn(true);
    profiles.tick(0);
    assertEquals(Profile.GENTLE, settings.profile());
  }

  @Test
  void blockBehindManyThatFitOnNoDataNode_counts() {
    List<WaitingBlock> queue = LongStream.range(0, 500).mapToObj(id -> block(id, null)).toList();
    when(blocks.readHighestRisk(anyInt()))
        .thenAnswer(call -> queue.subList(0, Math.min(queue.size(), call.<Integer>getArgument(0))));
    when(timeslots.isUnplaceable(longThat(id -> id != 400))).thenReturn(true);
    profiles.tick(0);
    assertEquals(Profile.BALANCED, settings.profile());
    when(timeslots.isUnplaceable(400)).thenReturn(true);
    profiles.tick(SECOND_NS);
    assertEquals(Profile.GENTLE, settings.profile());
  }

  @Test
  void blockThatNobodyCanServe_doesNotCount() {
    when(blocks.readHighestRisk(anyInt())).thenReturn(List.of(waitingBlock(7).risk(0).sources().build()));
    profiles.tick(0);
    assertEquals(Profile.GENTLE, settings.profile());
  }

  @Test
  void blockThatIsLeftToStock_doesNotCount() {
    when(blocks.readHighestRisk(anyInt())).thenReturn(List.of(block(7, WaitReason.ERASURE_CODED)));
    profiles.tick(0);
    assertEquals(Profile.GENTLE, settings.profile());
  }

  @Test
  void queues_areReadOnlyWhereItMatters() throws Exception {
    settings.change(Setting.PROFILE, "fast", "set by a test", 1);
    profiles.tick(0);
    verify(blocks, never()).readHighestRisk(anyInt());
    settings.change(Setting.PROFILE, "gentle", "set by a test", 2);
    when(blocks.keepsQueues()).thenReturn(false);
    profiles.tick(SECOND_NS);
    verify(blocks, never()).readHighestRisk(anyInt());
    when(blocks.keepsQueues()).thenReturn(true);
    profiles.tick(2 * SECOND_NS);
    verify(blocks, times(1)).readHighestRisk(anyInt());
  }
}
