/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.datanode.transfer.NodeShaper;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

/** Limits that the NameNodes of several block pools have set. */
class BlockPoolLimitsTest {
  private final NodeShaper shaper = mock(NodeShaper.class);
  private Settings settings;
  private BlockPoolLimits limits;

  @BeforeEach
  void read() throws BadSettingException {
    Configuration conf = new Configuration(false);
    conf.set("dayu.recovery.max-utilization", "0.7");
    conf.set("dayu.recovery.min.bandwidthPerSec", "9000");
    conf.set("dayu.datanode.volume.max-streams", "OTHER=5");
    settings = Settings.read(conf);
    when(shaper.minBytesPerSec(anyLong())).thenAnswer(call -> {
      long set = call.getArgument(0);
      return set == 0 ? 50_000.0 : set; // 0 stands for a share of the network.
    });
    limits = new BlockPoolLimits(settings, shaper);
  }

  private void set(String pool, double alpha, long minBytesPerSec, String streams, int sharers) {
    clearInvocations(shaper);
    limits.set(pool, OptionalDouble.of(alpha), OptionalLong.of(minBytesPerSec), Optional.of(streams), sharers, false);
  }

  private void setNone(String pool) {
    clearInvocations(shaper);
    limits.set(pool, OptionalDouble.empty(), OptionalLong.empty(), Optional.empty(), 1, false);
  }

  private void assertLimits(double alpha, long minBytesPerSec, int streams, int sharers) {
    verify(shaper).setLimits(alpha, minBytesPerSec);
    verify(shaper).setSharers(sharers);
    assertEquals(streams, settings.forStorageType(Setting.VOLUME_MAX_STREAMS, StorageType.DISK));
  }

  @Test
  void ofSeveralBlockPools_theSmallestLimitsApply_andTheMostSharers() {
    set("a", 0.5, 0, "OTHER=3", 2);
    assertLimits(0.5, 0, 3, 2);
    set("b", 0.6, 7_000, "OTHER=2", 4);
    assertLimits(0.5, 7_000, 2, 4);
    setNone("a");
    assertLimits(0.6, 7_000, 2, 4);
    setNone("b");
    assertLimits(0.7, 9_000, 5, 1);
  }

  @Test
  void blockPoolThatIsGone_noLongerLimits() {
    set("a", 0.5, 6_000, "OTHER=2", 4);
    set("b", 0.6, 7_000, "OTHER=3", 2);
    clearInvocations(shaper);
    limits.retain(Set.of("a", "b", "c"));
    verifyNoInteractions(shaper);
    limits.retain(Set.of("b"));
    assertLimits(0.6, 7_000, 3, 2);
    set("a", 0.5, 6_000, "OTHER=2", 4);
    clearInvocations(shaper);
    limits.retain(Set.of());
    assertLimits(0.7, 9_000, 5, 1);
  }

  @Test
  void oneNameNode_isEnoughToLeaveConnectionsUnmarked() {
    set("a", 0.5, 0, "OTHER=3", 2);
    verify(shaper).setUnmarked(false);
    limits.set("b", OptionalDouble.empty(), OptionalLong.empty(), Optional.empty(), 1, true);
    verify(shaper).setUnmarked(true);
    clearInvocations(shaper);
    set("a", 0.5, 0, "OTHER=3", 2);
    verify(shaper).setUnmarked(true);
    setNone("b");
    verify(shaper).setUnmarked(false);
  }

  @Test
  void valuesOutOfBounds_countAsNone() {
    set("a", 1.5, -1, "TAPE=1", 0);
    assertLimits(0.7, 9_000, 5, 1);
    set("a", 0, 0, "OTHER=4", 1);
    assertLimits(0.7, 0, 4, 1);
  }
}
