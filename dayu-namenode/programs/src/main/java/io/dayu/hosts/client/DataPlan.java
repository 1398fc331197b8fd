/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The files of the data set, each of one block or of one group, and on which DataNodes their replicas or internal
 * blocks are. Immutable. The same topology, numbers and seed give the same plan, so that the loader and the foreground
 * need not tell each other.
 */
public final class DataPlan {
  private static final String DIRECTORY = "/data/";
  /** Has the policy of the groups. */
  static final String GROUPS_DIRECTORY = "/groups/";

  private final List<List<Integer>> nodesOfFile = new ArrayList<>();
  private final List<List<Integer>> filesOfNode = new ArrayList<>();

  private final List<List<Integer>> nodesOfGroup = new ArrayList<>();

  /** Where there are groups, each DataNode has the first replica of some file, since clients read no groups. */
  public DataPlan(Topology topology, int files, DataGroups groups, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int node = 0; node < topology.nodes(); node++) {
      filesOfNode.add(new ArrayList<>());
    }
    for (int file = 0; file < files; file++) {
      List<Integer> nodes = groups.count() == 0 ? topology.replicas(random)
          : topology.replicas(file % topology.nodes(), random);
      nodesOfFile.add(nodes);
      for (int node : nodes) {
        filesOfNode.get(node).add(file);
      }
    }
    for (int group = 0; group < groups.count(); group++) {
      nodesOfGroup.add(topology.group(groups.units(), random));
    }
  }

  int files() {
    return nodesOfFile.size();
  }

  int groups() {
    return nodesOfGroup.size();
  }

  static String path(int file) {
    return DIRECTORY + file;
  }

  static String groupPath(int group) {
    return GROUPS_DIRECTORY + group;
  }

  List<Integer> nodesOf(int file) {
    return nodesOfFile.get(file);
  }

  List<Integer> nodesOfGroup(int group) {
    return nodesOfGroup.get(group);
  }

  List<Integer> filesOn(int node) {
    return filesOfNode.get(node);
  }
}
