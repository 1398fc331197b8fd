/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.GroupNeed;
import io.dayu.blocks.WaitReason;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.planning.TimeslotDecision.ForStock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Warns that groups are left to stock HDFS since no agent that names their codec could take them, once of each codec.
 * HDFS bounds how many policies there are, and so codecs. Owned by the recovery loop; not thread-safe.
 */
final class MissingCodecs {
  private static final Logger LOG = LoggerFactory.getLogger(MissingCodecs.class);

  private final Set<String> warned = new HashSet<>();

  /** @param loads of all live agents; asked once at most */
  void warnOnce(List<ForStock> leftOut, Supplier<Collection<NodeLoad>> loads) {
    Set<String> checked = new HashSet<>(warned);
    Collection<NodeLoad> read = null;
    for (ForStock one : leftOut) {
      GroupNeed group = one.block().group();
      if (group != null && group.kind() == GroupNeed.Kind.REBUILD && one.reason() == WaitReason.NO_TARGET
          && checked.add(group.policy().codec())) {
        read = read == null ? loads.get() : read;
        long rebuilding = read.stream().filter(NodeLoad::rebuilds).count();
        long withCodec = read.stream().filter(load -> load.rebuilds(group.policy().codec())).count();
        // Where no agent can rebuild at all, that is another matter.
        if (withCodec < rebuilding) {
          warned.add(group.policy().codec());
          LOG.warn("Dayu: group {} ({}) and others of its codec are left to stock HDFS: {} of {} agents that can "
              + "rebuild name the codec {}; add its jar to the class path of all DataNodes, and update agents of an "
              + "older version", one.block().key(), group.policy().name(), withCodec, rebuilding,
              group.policy().codec());
        }
      }
    }
  }

  void clear() {
    warned.clear();
  }
}
