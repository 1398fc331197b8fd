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
 * Says that groups are left to stock HDFS since no DataNode has their codec, once of each codec. HDFS bounds how many
 * policies there are, and so codecs. Owned by the recovery loop; not thread-safe.
 */
final class MissingCodecs {
  private static final Logger LOG = LoggerFactory.getLogger(MissingCodecs.class);

  private final Set<String> said = new HashSet<>();

  /** @param loads of all live agents */
  void look(List<ForStock> leftOut, Supplier<Collection<NodeLoad>> loads) {
    for (ForStock one : leftOut) {
      GroupNeed group = one.block().group();
      if (group != null && group.kind() == GroupNeed.Kind.REBUILD && !said.contains(group.policy().codec())
          && isMissing(group.policy().codec(), loads.get())) {
        said.add(group.policy().codec());
        LOG.warn("Dayu: group {} ({}) and others of its codec are left to stock HDFS: no DataNode that can rebuild has "
            + "the codec {}; add its jar to the class path of the DataNodes", one.block().key(),
            group.policy().name(), group.policy().codec());
      }
    }
  }

  /** Where no agent can rebuild at all, that is another matter. */
  private static boolean isMissing(String codec, Collection<NodeLoad> loads) {
    return loads.stream().anyMatch(NodeLoad::rebuilds) && loads.stream().noneMatch(load -> load.rebuilds(codec));
  }

  void clear() {
    said.clear();
  }
}
