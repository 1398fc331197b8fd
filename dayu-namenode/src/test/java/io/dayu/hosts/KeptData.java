/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.ClientTask;
import io.dayu.hosts.client.Topology;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A data set that was loaded once and is the beginning of every run with the same parameters: the storage of the
 * NameNode and of all DataNodes. Immutable.
 *
 * @param directory with one directory a host
 * @param topology of the cluster
 */
record KeptData(Path directory, Topology topology) {
  /** To be counted up when loading changes. */
  private static final int VERSION = 1;
  private static final int DELETION_LIMIT_SEC = 120;

  /**
   * Finds it, or loads it by a cluster that is stopped then.
   *
   * @param work the benchmark's directory, which data sets are kept below
   */
  static KeptData provide(HostsOptions options, long seed, HostJars jars, Path work, RunScope scope)
      throws IOException, InterruptedException {
    Path parent = Files.createDirectories(work.resolve("data"));
    Path kept = parent.resolve(key(options, seed));
    KeptData data = new KeptData(kept, options.topology());
    if (Files.isDirectory(kept)) {
      return data;
    }
    scope.screen().say("Loading the data set: %d files of %d bytes, kept in %s.", options.files(), options.blockBytes(),
        kept);
    Path logs = HostsRun.logs(work, "load-" + seed);
    Path loading = scope.directory(parent.resolve("loading"));
    HostNetwork network = scope.open(new HostNetwork(options.topology()));
    HostConf conf = new HostConf(options.topology(), network.addresses(), loading,
        Map.of("dfs.namenode.redundancy.considerLoad", "false"));
    HostCluster cluster = scope.open(new HostCluster(conf, jars, RecoveryMode.NONE, logs));
    cluster.format();
    cluster.startDaemons();
    cluster.load(task(options, seed, logs));
    awaitBlocks(conf, options.files() * Topology.REPLICATION);
    cluster.stopDaemons();
    Path complete = Files.createDirectories(loading.resolve("complete"));
    for (String host : data.hosts()) {
      Files.move(conf.storage(host), complete.resolve(host));
    }
    Files.move(complete, kept);
    scope.close();
    return data;
  }

  /** Blocks of files that were written anew, because HDFS had placed them elsewhere, are deleted some seconds later. */
  static void awaitBlocks(HostConf conf, int expected) throws IOException, InterruptedException {
    KeptData loaded = new KeptData(conf.directory(), conf.topology());
    int found = 0;
    for (int polls = 0; polls < DELETION_LIMIT_SEC; polls++) {
      TimeUnit.SECONDS.sleep(1);
      try {
        found = 0;
        for (int node = 0; node < conf.topology().nodes(); node++) {
          found += loaded.blocksOf(node).size();
        }
        if (found == expected) {
          return;
        }
      } catch (NoSuchFileException deletedMeanwhile) {
        // Another look.
      }
    }
    throw new IOException("the DataNodes have " + found + " replicas after loading instead of " + expected);
  }

  static ClientTask task(HostsOptions options, long seed, Path directory) {
    return new ClientTask(options.topology(), options.files(), options.blockBytes(), seed, options.rateBytesPerSec(),
        options.utilization(), directory.toString());
  }

  private static String key(HostsOptions options, long seed) {
    return "v" + VERSION + "-hadoop" + options.hadoop() + "-nodes" + options.topology().nodes() + "-racks"
        + options.topology().racks() + "-block" + options.blockBytes() + "-files" + options.files() + "-seed" + seed;
  }

  private List<String> hosts() {
    List<String> hosts = new ArrayList<>(List.of(Topology.NAME_NODE));
    for (int node = 0; node < topology.nodes(); node++) {
      hosts.add(Topology.dataNode(node));
    }
    return hosts;
  }

  /** Into the storage of a run. */
  void cloneInto(HostConf conf) throws IOException {
    for (String host : hosts()) {
      DirectoryTree.cloneStorage(directory.resolve(host), conf.storage(host));
    }
  }

  /**
   * The block files of a DataNode with their lengths in bytes, by their paths within its volume, which are alike on
   * all DataNodes.
   */
  Map<Path, Long> blocksOf(int node) throws IOException {
    Path volume = directory.resolve(Topology.dataNode(node));
    try (Stream<Path> files = Files.walk(volume)) {
      return files.filter(file -> file.getFileName().toString().matches("blk_\\d+"))
          .collect(Collectors.toMap(volume::relativize, file -> file.toFile().length(), (a, b) -> a, TreeMap::new));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
