/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import io.dayu.harness.DayuCluster;
import io.dayu.programs.Screen;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The data that the demo recovers: files whose replicas lie where the seed says, so that every mode loses the same.
 * HDFS would place them at random. Single-threaded.
 */
final class SeededData {
  static final int BLOCKS_PER_FILE = 4;
  private static final int WRITERS = 4;

  private final DemoOptions options;
  private final Random random;

  SeededData(DemoOptions options, long seed) {
    this.options = options;
    this.random = new Random(seed);
  }

  /** Writes all of it and shows how far it is. */
  void write(DayuCluster cluster, Screen screen) throws IOException, InterruptedException {
    long fileBytes = BLOCKS_PER_FILE * options.data().blockBytes();
    screen.say("Writing %s in files of up to %s, %d replicas each.", Screen.mib(options.data().bytes()),
        Screen.mib(fileBytes), options.data().replication());
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    try {
      List<Future<?>> files = new ArrayList<>();
      for (long fromByte = 0; fromByte < options.data().bytes(); fromByte += fileBytes) {
        String path = "/data/" + fromByte / fileBytes;
        long lengthBytes = Math.min(fileBytes, options.data().bytes() - fromByte);
        InetSocketAddress[] targets = targets(cluster);
        files.add(writers.submit(() -> {
          cluster.files().write(cluster.fileSystem(), path, lengthBytes, options.data().replication(), targets);
          return null;
        }));
      }
      for (int file = 0; file < files.size(); file++) {
        files.get(file).get();
        screen.progress(Screen.bar((file + 1.0) / files.size()) + "  " + (file + 1) + " of " + files.size() + " files");
      }
    } catch (ExecutionException e) {
      throw new IOException("cannot write the data", e.getCause());
    } finally {
      writers.shutdownNow();
    }
    screen.progress("");
  }

  /** Distinct nodes in at least two racks, if there are two. */
  private InetSocketAddress[] targets(DayuCluster cluster) {
    List<Integer> nodes = new ArrayList<>();
    for (int node = 0; node < options.nodes(); node++) {
      nodes.add(node);
    }
    Collections.shuffle(nodes, random);
    int last = options.data().replication() - 1;
    int firstRack = nodes.get(0) % options.racks();
    if (nodes.subList(0, last).stream().allMatch(node -> node % options.racks() == firstRack)) {
      for (int other = last; other < nodes.size(); other++) {
        if (nodes.get(other) % options.racks() != firstRack) {
          Collections.swap(nodes, last, other);
          break;
        }
      }
    }
    return nodes.subList(0, options.data().replication()).stream().map(node -> cluster.dataNode(node).getXferAddress())
        .toArray(InetSocketAddress[]::new);
  }
}
