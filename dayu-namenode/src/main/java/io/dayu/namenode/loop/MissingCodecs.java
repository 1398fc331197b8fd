/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.GroupNeed;
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
 * Warns that groups are left to stock HDFS since no agent names their codec, once of each codec. HDFS bounds how many
 * policies there are, and so codecs. Owned by the recovery loop; not thread-safe.
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
      if (group != null && group.kind() == GroupNeed.Kind.REBUILD && checked.add(group.policy().codec())) {
        read = read == null ? loads.get() : read;
        if (isMissing(group.policy().codec(), read)) {
          warned.add(group.policy().codec());
          LOG.warn("Dayu: group {} ({}) and others of its codec are left to stock HDFS: no agent that can rebuild "
              + "names the codec {}; add its jar to the class path of the DataNodes, and update agents of an older "
              + "version", one.block().key(), group.policy().name(), group.policy().codec());
        }
      }
    }
  }

  /** Where no agent can rebuild at all, that is another matter. */
  private static boolean isMissing(String codec, Collection<NodeLoad> loads) {
    return loads.stream().anyMatch(NodeLoad::rebuilds) && loads.stream().noneMatch(load -> load.rebuilds(codec));
  }

  void clear() {
    warned.clear();
  }
}
