/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.datanode.transfer.NodeShaper;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Applies the limits that the NameNodes of this DataNode's block pools have set. With several block pools the smallest
 * α, the smallest B_min, the smallest numbers of streams and the largest number of sharers apply, and connections go
 * unmarked if one NameNode says so. Of α, B_min and
 * streams the DataNode's own values apply where no NameNode has set any. Thread-safe.
 */
final class BlockPoolLimits {

  /** What the NameNode of one block pool says. */
  private record Limits(OptionalDouble alpha, OptionalLong minBytesPerSec, int sharers, boolean unmarked) {
  }

  private final Settings settings;
  private final NodeShaper shaper;
  private final StreamLimits streams;
  private final Map<String, Limits> byBlockPool = new HashMap<>();

  /** @param settings of this DataNode, whose {@link Setting#VOLUME_MAX_STREAMS} is changed */
  BlockPoolLimits(Settings settings, NodeShaper shaper) {
    this.settings = settings;
    this.shaper = shaper;
    this.streams = new StreamLimits(settings);
  }

  /**
   * Takes over what a NameNode says; values out of bounds count as none.
   *
   * @param alpha empty if no admin has changed it there
   * @param minBytesPerSec empty if no admin has changed it there
   * @param volumeMaxStreams empty if no admin has changed it there
   * @param sharers DataNodes that share this one's network
   * @param unmarked whether recovery's connections go unmarked, whatever the traffic class
   */
  synchronized void set(String blockPoolId, OptionalDouble alpha, OptionalLong minBytesPerSec,
      Optional<String> volumeMaxStreams, int sharers, boolean unmarked) {
    boolean validAlpha = alpha.isPresent() && alpha.getAsDouble() > 0 && alpha.getAsDouble() <= 1;
    boolean validMin = minBytesPerSec.isPresent() && minBytesPerSec.getAsLong() >= 0;
    byBlockPool.put(blockPoolId, new Limits(validAlpha ? alpha : OptionalDouble.empty(),
        validMin ? minBytesPerSec : OptionalLong.empty(), Math.max(1, sharers), unmarked));
    streams.set(blockPoolId, volumeMaxStreams);
    apply();
  }

  /** Forgets the limits of all block pools but these: the DataNode no longer serves them. */
  synchronized void retain(Set<String> blockPoolIds) {
    Set<String> gone = new HashSet<>(byBlockPool.keySet());
    gone.removeAll(blockPoolIds);
    gone.forEach(blockPoolId -> {
      byBlockPool.remove(blockPoolId);
      streams.set(blockPoolId, Optional.empty());
    });
    if (!gone.isEmpty()) {
      apply();
    }
  }

  private void apply() {
    shaper.setUnmarked(byBlockPool.values().stream().anyMatch(Limits::unmarked));
    shaper.setSharers(byBlockPool.values().stream().mapToInt(Limits::sharers).max().orElse(1));
    double alpha = byBlockPool.values().stream().flatMapToDouble(limits -> limits.alpha.stream()).min()
        .orElse(settings.ratio(Setting.MAX_UTILIZATION));
    long minBytesPerSec = byBlockPool.values().stream().flatMapToLong(limits -> limits.minBytesPerSec.stream()).boxed()
        .min(Comparator.comparingDouble(shaper::minBytesPerSec)).orElse(settings.bytesPerSec(Setting.MIN_BANDWIDTH));
    shaper.setLimits(alpha, minBytesPerSec);
  }
}
