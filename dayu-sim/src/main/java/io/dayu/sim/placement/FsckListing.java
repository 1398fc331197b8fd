/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import io.dayu.model.IntRows;
import io.dayu.sim.Cluster;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * What a block listing of HDFS says ({@code hdfs fsck / -files -blocks -locations}). Immutable by convention: the
 * arrays are shared.
 *
 * @param nodes the nodes that hold anything, as {@code ip:port}
 * @param racks rack of each, by index into {@code rackNames}
 * @param rackNames the racks; a single empty name if the listing does not tell racks
 * @param outOfService nodes that are being taken out of service or are out
 * @param sizeBytes size of each block that was kept
 * @param replicaSurplus for each, live replicas beyond those wanted; negative if it lacks some
 * @param holders for each, the nodes that can serve it
 * @param isLive for each value of {@code holders}, whether the replica there counts as live
 * @param stripedOn erasure-coded block groups of which the node holds a part, by node
 * @param kinds from how many nodes each block is recovered, and where its copies may go
 * @param counts what is not among the blocks
 * @param source what the file was made of
 */
public record FsckListing(List<String> nodes, int[] racks, List<String> rackNames, boolean[] outOfService,
    long[] sizeBytes, byte[] replicaSurplus, IntRows holders, boolean[] isLive, int[] stripedOn,
    BlockKinds kinds, FsckListing.Counts counts, FsckListing.Source source) {

  /**
   * Of all nodes together.
   *
   * @param blocks blocks of replicated files
   * @param groups block groups of erasure-coded files
   * @param striped those that are left out
   * @param replicated blocks of replicated files that are left out, since groups were asked for
   * @param underConstruction blocks that are being written
   * @param missing blocks without any replica
   * @param unusable replicas that are corrupt or on a node in maintenance
   * @param dataNodes DataNodes that HDFS had, or -1 if the listing does not say
   */
  public record Counts(long blocks, long groups, long striped, long replicated, long underConstruction, long missing,
      long unusable, int dataNodes) {
  }

  /**
   * What the file was made of.
   *
   * @param listings outputs of fsck one after another
   * @param repeatedFiles files that were in more than one and count once
   * @param logLines lines of loggers among them
   * @param hadoop2 whether files do not say how many replicas they want
   * @param policies of the erasure-coded files, in alphabetical order
   */
  public record Source(int listings, long repeatedFiles, long logLines, boolean hadoop2, List<String> policies) {
  }

  /**
   * The same with what a report says: nodes that hold no block, who is leaving, and racks if the listing has none.
   *
   * @throws IllegalArgumentException if the two say different racks of a node
   */
  public FsckListing completedBy(DfsReport report) {
    List<String> all = new ArrayList<>(nodes);
    Map<String, DfsReport.DataNode> byAddress = report.byAddress();
    byAddress.keySet().stream().filter(address -> !nodes.contains(address)).forEach(all::add);
    List<String> names = new ArrayList<>(hasRacks() ? rackNames : List.of());
    int[] rackOf = new int[all.size()];
    boolean[] leaving = Arrays.copyOf(outOfService, all.size());
    for (int node = 0; node < all.size(); node++) {
      DfsReport.DataNode reported = byAddress.get(all.get(node));
      boolean listed = node < nodes.size() && hasRacks();
      String rack = listed ? rackNames.get(racks[node]) : reported == null ? DfsReport.DEFAULT_RACK : reported.rack();
      if (reported != null && !reported.rack().equals(rack)) {
        throw new IllegalArgumentException("node " + all.get(node) + " is on " + rack + " in the listing and on "
            + reported.rack() + " in the report; are both of one day?");
      }
      leaving[node] |= reported != null && reported.leaving();
      if (!names.contains(rack)) {
        names.add(rack);
      }
      rackOf[node] = names.indexOf(rack);
    }
    return new FsckListing(List.copyOf(all), rackOf, List.copyOf(names), leaving, sizeBytes, replicaSurplus, holders,
        isLive, Arrays.copyOf(stripedOn, all.size()), kinds, counts, source);
  }

  public boolean hasRacks() {
    return rackNames.size() > 1 || !rackNames.get(0).isEmpty();
  }

  public Cluster cluster(long bandwidthBytesPerSec) {
    return new Cluster(racks, outOfService, bandwidthBytesPerSec);
  }
}
