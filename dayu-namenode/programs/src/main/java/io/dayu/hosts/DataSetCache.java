/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.ClientTask;
import io.dayu.hosts.client.Topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A data set that was loaded once and is the beginning of every run with the same parameters: the storage of the
 * NameNode and of all DataNodes. Immutable.
 *
 * @param directory with one directory a host
 * @param layout of the cluster, with one NameNode
 */
record DataSetCache(Path directory, HostLayout layout) {
  /** To be counted up when loading changes. */
  private static final int VERSION = 1;
  private static final int DELETION_LIMIT_SEC = 120;

  /**
   * Finds the data set, or loads it by a cluster that is then stopped.
   *
   * @param work the benchmark's directory, which data sets are kept below
   */
  static DataSetCache provide(HostsOptions options, long seed, HostJars jars, Path work, RunScope scope)
      throws IOException, InterruptedException {
    Path parent = Files.createDirectories(work.resolve("data"));
    Path kept = parent.resolve(key(options, seed));
    DataSetCache data = new DataSetCache(kept, options.layout().withOneNameNode());
    if (Files.isDirectory(kept)) {
      return data;
    }
    scope.screen().say("Loading the data set: %d files of one block and %d groups of %d, each of %d bytes, kept in %s.",
        options.files(), options.groups().count(), options.groups().units(), options.data().blockBytes(), kept);
    Path logs = DirectoryTree.logs(work, "load-" + seed);
    Path loading = scope.directory(parent.resolve("loading"));
    HostNetwork network = scope.open(new HostNetwork(data.layout(), options.links().queue()));
    HostConf conf = new HostConf(data.layout(), network.addresses(), loading,
        Map.of("dfs.namenode.redundancy.considerLoad", "false"));
    HostCluster cluster = scope.open(new HostCluster(conf, jars, RecoveryMode.NONE, logs));
    cluster.format();
    cluster.startDaemons();
    cluster.load(task(options, seed, logs));
    awaitBlocks(conf, options.files() * Topology.REPLICATION + options.groups().internalBlocks());
    cluster.stopDaemons();
    Path complete = Files.createDirectories(loading.resolve("complete"));
    Files.move(conf.storage(Topology.NAME_NODE), complete.resolve(Topology.NAME_NODE));
    for (String host : data.layout().dataNodeHosts()) {
      Files.move(conf.storage(host), complete.resolve(host));
    }
    Files.move(complete, kept);
    scope.close();
    return data;
  }

  /** Blocks of files that were written anew, because HDFS had placed them elsewhere, are deleted some seconds later. */
  static void awaitBlocks(HostConf conf, int expected) throws IOException, InterruptedException {
    int found = 0;
    for (int polls = 0; polls < DELETION_LIMIT_SEC; polls++) {
      TimeUnit.SECONDS.sleep(1);
      found = 0;
      for (int node = 0; node < conf.layout().topology().nodes(); node++) {
        found += conf.dataNodeStorage(node).blocks().size();
      }
      if (found == expected) {
        return;
      }
    }
    throw new IOException("the DataNodes have " + found + " replicas after loading instead of " + expected);
  }

  static ClientTask task(HostsOptions options, long seed, Path directory) {
    return new ClientTask(options.topology(), options.files(), options.groups(), options.data().blockBytes(), seed,
        options.links().rateBytesPerSec(), options.utilization(), directory.toString());
  }

  private static String key(HostsOptions options, long seed) {
    return "v" + VERSION + "-hadoop" + options.jars().hadoop() + "-nodes" + options.topology().nodes() + "-racks"
        + options.topology().racks() + "-block" + options.data().blockBytes() + "-files" + options.files()
        + options.groupsKey() + (options.layout().volumes() == 1 ? "" : "-volumes" + options.layout().volumes())
        + "-seed" + seed;
  }

  /** The files of its replicas and internal blocks by their paths within a volume. */
  Map<Path, List<Path>> originals() throws IOException {
    Map<Path, List<Path>> originals = new HashMap<>();
    for (String host : layout.dataNodeHosts()) {
      for (Path volume : new HostStorage(directory.resolve(host), layout.volumes()).volumes()) {
        for (Path file : HostStorage.blocksOf(volume).keySet()) {
          originals.computeIfAbsent(file, any -> new ArrayList<>()).add(volume.resolve(file));
        }
      }
    }
    return originals;
  }

  /** Copies it into the storage of a run. If there are two NameNodes, both begin with the same storage. */
  void cloneInto(HostConf conf) throws IOException {
    for (String host : conf.layout().nameNodeHosts()) {
      DirectoryTree.cloneStorage(directory.resolve(Topology.NAME_NODE), conf.storage(host));
    }
    for (String host : layout.dataNodeHosts()) {
      DirectoryTree.cloneStorage(directory.resolve(host), conf.storage(host));
    }
  }
}
