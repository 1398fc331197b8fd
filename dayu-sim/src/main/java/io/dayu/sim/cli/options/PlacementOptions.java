/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.options;

import io.dayu.sim.Capacities;
import io.dayu.sim.Cluster;
import io.dayu.sim.FormatException;
import io.dayu.sim.Uplinks;
import io.dayu.sim.experiment.Experiment;
import io.dayu.sim.foreground.ForegroundModel;
import io.dayu.sim.placement.CopysetPlacement;
import io.dayu.sim.placement.DfsReport;
import io.dayu.sim.placement.EpochPlacement;
import io.dayu.sim.placement.ErasureCode;
import io.dayu.sim.placement.FsckListing;
import io.dayu.sim.placement.FsckReader;
import io.dayu.sim.placement.GroupPlacement;
import io.dayu.sim.placement.ListedPlacement;
import io.dayu.sim.placement.NamedPlacement;
import io.dayu.sim.placement.Placement;
import io.dayu.sim.placement.WantedFiles;
import io.dayu.sim.placement.WeightedPlacement;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** The options that say where replicas lie. Filled by picocli; single-threaded. */
final class PlacementOptions {
  private static final int PERMILLE = 1000;
  private static final int SCATTER = 100;
  private static final String ALL = "all";

  @Spec(Spec.Target.MIXEE)
  private CommandSpec mixee;

  @Option(names = "--rack-size", paramLabel = "N", defaultValue = "40",
      description = "Nodes of a rack (default: ${DEFAULT-VALUE}).")
  private int rackSize;

  @Option(names = "--node-table", paramLabel = "FILE",
      description = "CSV with the header node,bandwidth,disks,free (the last three optional): what a node's network "
          + "and disks carry a second, and its free space; values with units, empty = as nodes not named.")
  private Path nodeTable;

  @Option(names = "--uplink-oversubscription", paramLabel = "R",
      description = "The uplink of a rack carries, each way, what its nodes can send together divided by R (default: "
          + "it is never the bottleneck).")
  private Double oversubscription;

  @Option(names = "--uplink", paramLabel = "BYTES", converter = ByteCount.class,
      description = "The same as bytes a second.")
  private Long uplink;

  @Option(names = "--uplink-foreground", paramLabel = "X", defaultValue = "0.5",
      description = "Share of foreground traffic that crosses uplinks (default: ${DEFAULT-VALUE}).")
  private double uplinkForeground;

  @Option(names = "--chunks", paramLabel = "N", defaultValue = "250000",
      description = "Chunks on each node (default: ${DEFAULT-VALUE}).")
  private int chunks;

  @Option(names = "--chunk-size", paramLabel = "BYTES", defaultValue = "64MB", converter = ByteCount.class,
      description = "Size of a chunk (default: ${DEFAULT-VALUE}).")
  private long chunkSize;

  @Option(names = "--replicas", paramLabel = "N", defaultValue = "3",
      description = "Replicas of a chunk, each on another rack (default: ${DEFAULT-VALUE}).")
  private int replicas;

  @Option(names = "--code", paramLabel = "CODE",
      description = "Erasure-coded groups in place of replicas: rs-6-3, rs-3-2, rs-10-4, xor-2-1. A chunk is then an "
          + "internal block, each of a group on another rack (default: replicas). With --fsck, all takes the listing's "
          + "blocks and groups together.")
  private String code;

  @Option(names = "--placement", paramLabel = "WHAT", defaultValue = "epochs",
      description = "Where replicas lie: epochs (pairs of nodes have unequally much in common, as in the paper), "
          + "random, copysets, or weighted (default: ${DEFAULT-VALUE}).")
  private String kind;

  @Option(names = "--skew", paramLabel = "X", defaultValue = "" + EpochPlacement.PAPER_SKEW,
      description = "Imbalance: standard deviation of the logarithm of the weights that nodes are drawn by; 0 = random "
          + "placement (default: ${DEFAULT-VALUE}, like the paper's).")
  private double skew;

  @Option(names = "--scatter", paramLabel = "S",
      description = "With --placement copysets: nodes that a node shares its chunks with, about (default: 100, or all "
          + "others if they are fewer).")
  private Integer scatter;

  @Option(names = "--weights", paramLabel = "W,...", split = ",",
      description = "With --placement weighted: the weights, over and over: 1,1,2 = each third node holds twice as "
          + "much (default: drawn, see --skew).")
  private double[] weights;

  @Option(names = "--fsck", paramLabel = "FILE",
      description = "Where replicas lie in a real cluster: the output of 'hdfs fsck / -files -blocks -racks', gzip or "
          + "not; -locations will do if racks do not matter, and -replicaDetails adds the states of replicas.")
  private Path fsck;

  @Option(names = "--dfs-report", paramLabel = "FILE",
      description = "Output of 'hdfs dfsadmin -report': all names of nodes, their racks and free space, and with "
          + "--fsck the nodes that hold no block.")
  private Path dfsReport;

  @Option(names = "--lost", paramLabel = "NODE",
      description = "The node that fails: its name in the trace or node0, node1, ...; with --fsck by ip:port, ip or "
          + "host name; all = each node once, at one moment (default: nodes drawn by chance).")
  private String lost;

  private final List<String> remarks = new ArrayList<>();

  boolean hasListing() {
    return fsck != null;
  }

  /** The report; null if none is given. */
  DfsReport readReport() {
    if (dfsReport == null) {
      return null;
    }
    BadInputException.checkReadable(dfsReport);
    try {
      return DfsReport.read(dfsReport);
    } catch (IOException e) {
      throw new BadInputException(e instanceof FormatException ? e.getMessage()
          : "cannot read " + dfsReport + ": " + BadInputException.reason(e));
    }
  }

  /** A cluster of the nodes that a report has. */
  Cluster reported(DfsReport report, long bandwidthBytesPerSec) {
    BadInputException.refuse(mixee, List.of("--rack-size"), " cannot be given with --dfs-report: the report says it");
    Map<String, Integer> racks = new LinkedHashMap<>();
    int[] rackOf = report.nodes().stream().mapToInt(node -> racks.computeIfAbsent(node.rack(), name -> racks.size()))
        .toArray();
    boolean[] leaving = new boolean[rackOf.length];
    for (int node = 0; node < leaving.length; node++) {
      leaving[node] = report.nodes().get(node).leaving();
    }
    remarks.add("report: " + rackOf.length + " live nodes on " + racks.size() + " racks");
    return BadInputException.check(() -> new Cluster(rackOf, leaving, bandwidthBytesPerSec));
  }

  /** Whether each node is to be lost once. */
  boolean losesEach() {
    return ALL.equals(lost);
  }

  boolean namesLost() {
    return lost != null;
  }

  private boolean namesOne() {
    return lost != null && !losesEach();
  }

  List<String> remarks() {
    return remarks;
  }

  Cluster cluster(int nodes, long bandwidthBytesPerSec) {
    return new Cluster(nodes, rackSize, bandwidthBytesPerSec);
  }

  /**
   * The cluster with the capacities and uplinks that the user gives.
   *
   * @param addresses of the nodes, as the report has them
   * @param report null if none is given
   */
  Cluster completed(Cluster cluster, List<String> addresses, DfsReport report, NodeNames names) {
    Capacities capacities = cluster.capacities();
    if (report != null) {
      Map<String, DfsReport.DataNode> byAddress = report.byAddress();
      long[] free = capacities.freeBytes().clone();
      for (int node = 0; node < free.length; node++) {
        DfsReport.DataNode reported = byAddress.get(addresses.get(node));
        free[node] = reported == null ? free[node] : reported.freeBytes();
      }
      capacities = new Capacities(capacities.bytesPerSec(), free);
    }
    if (nodeTable != null) {
      BadInputException.checkReadable(nodeTable);
      capacities = NodeTableReader.read(nodeTable, names, capacities);
    }
    return withUplinks(cluster.with(capacities));
  }

  private Cluster withUplinks(Cluster cluster) {
    if (uplink != null && oversubscription != null) {
      throw new BadInputException("--uplink and --uplink-oversubscription say the same, expected one of them");
    }
    return uplink != null ? cluster.with(Uplinks.of(cluster.rackCount(), uplink, uplinkForeground))
        : oversubscription != null ? cluster.with(
            Uplinks.oversubscribed(cluster.rackBytesPerSec(), oversubscription, uplinkForeground))
        : cluster;
  }

  Experiment drawn(Cluster cluster, List<String> names, NodeNames finder, ForegroundModel foreground, long seed) {
    if (chunks < 1 || chunkSize < 1) {
      throw new BadInputException(
          "--chunks = " + chunks + " of --chunk-size = " + chunkSize + " bytes, expected at least 1 each");
    }
    if (weights != null && !kind.equals("weighted")) {
      throw new BadInputException("--weights needs --placement weighted");
    }
    if (weights != null && weights.length == 0) {
      throw new BadInputException("--weights is an empty list, expected at least one value");
    }
    if (scatter != null && !kind.equals("copysets")) {
      throw new BadInputException("--scatter needs --placement copysets");
    }
    if (code == null && replicas > cluster.rackCount()) {
      throw new BadInputException("--replicas = " + replicas + ", expected 2 to the number of racks, which is "
          + cluster.rackCount() + " (" + cluster.nodes() + " nodes, --rack-size = " + rackSize + ")");
    }
    Placement placement = code == null ? placement(cluster, replicas, seed) : groups(cluster, seed);
    int onlyNode = namesOne() ? finder.require("--lost = " + lost, lost) : -1;
    return new Experiment(cluster, foreground, new NamedPlacement(placement, names, onlyNode), chunks, chunkSize, seed);
  }

  private Placement placement(Cluster cluster, int perChunk, long seed) {
    return switch (kind) {
      case "epochs" -> new EpochPlacement(cluster, perChunk, skew, seed);
      case "random" -> new EpochPlacement(cluster, perChunk, 0, seed);
      case "copysets" -> new CopysetPlacement(cluster, perChunk,
          scatter == null ? Math.min(SCATTER, cluster.nodes() - 1) : scatter, seed);
      case "weighted" -> new WeightedPlacement(cluster, perChunk, weightOfNode(cluster.nodes(), seed));
      default ->
          throw new BadInputException("--placement = " + kind + ", expected epochs, random, copysets or weighted");
    };
  }

  private Placement groups(Cluster cluster, long seed) {
    BadInputException.refuse(mixee, List.of("--replicas"), " cannot be given with --code, which says it");
    if (takesAll()) {
      throw new BadInputException("--code = " + ALL + " needs --fsck, whose blocks and groups it takes together");
    }
    ErasureCode policy = policy();
    if (policy.units() >= cluster.rackCount()) {
      throw new BadInputException("--code = " + code + " needs " + (policy.units() + 1)
          + " racks, one for each internal block and one for the target, and there are " + cluster.rackCount() + " ("
          + cluster.nodes()
          + " nodes, --rack-size = " + rackSize + ")");
    }
    return new GroupPlacement(placement(cluster, policy.units(), seed), policy.dataUnits());
  }

  private ErasureCode policy() {
    try {
      return ErasureCode.parse(code);
    } catch (IllegalArgumentException e) {
      throw new BadInputException("--code = " + e.getMessage());
    }
  }

  /** Whether groups are lost, alone or among blocks. */
  boolean hasGroups() {
    return code != null;
  }

  private boolean takesAll() {
    return ALL.equals(code);
  }

  private WantedFiles files() {
    return code == null ? WantedFiles.REPLICATED : takesAll() ? WantedFiles.ALL : WantedFiles.of(policy());
  }

  private double[] weightOfNode(int nodes, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] weight = new double[nodes];
    for (int node = 0; node < nodes; node++) {
      weight[node] = weights == null ? Math.exp(skew * random.nextGaussian()) : weights[node % weights.length];
    }
    return weight;
  }

  /** @param report null if none is given */
  FsckListing readListing(DfsReport report) {
    BadInputException.refuse(mixee, List.of("--rack-size", "--chunks", "--chunk-size", "--replicas", "--placement",
        "--skew", "--scatter", "--weights"), " cannot be given with --fsck: the listing says it");
    BadInputException.checkReadable(fsck);
    Predicate<String> wanted = namesOne() ? NodeNames.mayBe(addressOf(lost, report)) : node -> true;
    FsckListing listing;
    try (ProgressLine progress = ProgressLine.onTerminal("listing, permille", PERMILLE)) {
      long bytes = Math.max(1, Files.size(fsck));
      listing = FsckReader.read(fsck, files(), wanted,
          read -> progress.done((int) Math.min(PERMILLE, PERMILLE * read / bytes)));
    } catch (IOException e) {
      throw new BadInputException(e instanceof FormatException ? e.getMessage()
          : "cannot read " + fsck + ": " + BadInputException.reason(e));
    }
    checkHasCode(listing);
    FsckListing read = listing;
    return report == null ? read : BadInputException.check(() -> read.completedBy(report));
  }

  private void checkHasCode(FsckListing listing) {
    List<String> policies = listing.source().policies();
    if (code != null && !takesAll() && policies.stream().noneMatch(policy()::isOf)) {
      throw new BadInputException("--code = " + code + ", but the erasure-coded files in " + fsck
          + (policies.isEmpty() ? " are none" : " have " + String.join(", ", policies)));
    }
  }

  /** What a listing calls the node. */
  private static String addressOf(String name, DfsReport report) {
    NodeNames.Match found = report == null ? null : namesOf(report).find("--lost = " + name, name);
    return found == null ? name : report.nodes().get(found.node()).address();
  }

  static NodeNames namesOf(DfsReport report) {
    return new NodeNames(report.nodes().stream().map(DfsReport.DataNode::address).toList(),
        report.nodes().stream().map(DfsReport.DataNode::allNames).toList());
  }

  Experiment listed(Cluster cluster, NodeNames names, ForegroundModel foreground, FsckListing listing, long seed) {
    int onlyNode = namesOne() ? names.require("--lost = " + lost, lost) : -1;
    ListedPlacement placement = new ListedPlacement(listing, onlyNode);
    int[] candidates = placement.candidates();
    if (candidates.length == 0) {
      throw new BadInputException(fsck + ": nothing to recover" + (namesOne()
          ? " if " + lost + " is lost: " + describe(placement.rest(onlyNode)) : " whichever node is lost"));
    }
    remark(cluster, listing);
    if (onlyNode >= 0) {
      remarks.add("lost: " + placement.nodeName(onlyNode) + rack(listing, onlyNode) + ", "
          + placement.blocksOn(onlyNode)
          + (takesAll() ? " blocks and internal blocks" : hasGroups() ? " internal blocks" : " blocks")
          + " to recover; "
          + describe(placement.rest(onlyNode)));
    }
    long sumBlocks = 0;
    long sumBytes = 0;
    for (int node : candidates) {
      sumBlocks += placement.blocksOn(node);
      sumBytes += placement.bytesOn(node);
    }
    return new Experiment(cluster, foreground, placement, (int) (sumBlocks / candidates.length),
        Math.max(1, sumBytes / sumBlocks), seed);
  }

  private static String rack(FsckListing listing, int node) {
    return listing.hasRacks() ? " on " + listing.rackNames().get(listing.racks()[node]) : "";
  }

  private static String describe(ListedPlacement.Rest rest) {
    return "not simulated: " + rest.striped() + " erasure-coded block groups that lack a part, " + rest.enoughReplicas()
        + " blocks with replicas enough, " + rest.noOtherReplica() + " blocks without another replica";
  }

  private String taken(FsckListing.Counts counts) {
    if (takesAll()) {
      return counts.blocks() + " blocks and " + counts.groups() + " groups; left out: " + counts.striped()
          + " erasure-coded block groups whose policy does not tell their code, ";
    }
    return hasGroups() ? counts.groups() + " groups of " + code + "; left out: " + counts.replicated()
        + " replicated blocks, " + counts.striped() + " other erasure-coded block groups, "
        : counts.blocks() + " blocks; left out: " + counts.striped() + " erasure-coded block groups (--code all takes "
            + "them, too), ";
  }

  private void remark(Cluster cluster, FsckListing listing) {
    FsckListing.Counts counts = listing.counts();
    FsckListing.Source source = listing.source();
    if (source.listings() > 1) {
      remarks.add("listings: " + source.listings() + " one after another, " + source.repeatedFiles()
          + " files that are in more than one count once");
    }
    if (source.logLines() > 0) {
      remarks.add("skipped: " + source.logLines() + " lines of loggers");
    }
    if (source.hadoop2()) {
      remarks
          .add("note: Hadoop 2 printed this, which does not say how many replicas a file wants: each block counts as "
              + "having as many");
    }
    long closed = IntStream.range(0, cluster.nodes()).filter(node -> !cluster.accepts(node)).count();
    remarks
        .add("listing: " + cluster.nodes() + " nodes" + (closed > 0 ? ", " + closed + " of them leaving," : "") + " on "
            + (listing.hasRacks() ? cluster.rackCount() + " racks, " : "unknown racks (fsck with -racks tells them), ")
            + taken(counts) + counts.underConstruction() + " blocks being written, " + counts.missing()
            + " blocks without a replica, "
            + counts.unusable() + " replicas corrupt or in maintenance");
    if (counts.dataNodes() > cluster.nodes()) {
      remarks.add("note: HDFS has " + counts.dataNodes() + " DataNodes, of which "
          + (counts.dataNodes() - cluster.nodes()) + " hold no block of the listing and are left out");
    }
  }
}
