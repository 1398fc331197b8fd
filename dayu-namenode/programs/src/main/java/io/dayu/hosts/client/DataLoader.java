/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import io.dayu.harness.SeededFiles;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Writes the data set, each file with its replicas or internal blocks where the plan wants them. Single-threaded but
 * for its own writers.
 */
final class DataLoader {
  private static final int WRITERS = 4;
  private static final int MAX_PLACEMENTS = 30;
  private static final int POLL_MS = 10;
  private static final int MAX_POLLS = 1_000;

  private final HdfsClient hdfs;
  private final ClientTask task;
  private final DataPlan plan;
  private final SeededFiles content;

  DataLoader(HdfsClient hdfs, ClientTask task) {
    this.hdfs = hdfs;
    this.task = task;
    this.plan = task.dataPlan();
    this.content = new SeededFiles(task.seed());
  }

  void load() throws IOException, InterruptedException {
    if (plan.groups() > 0) {
      HdfsClient.makeErasureCoded(hdfs.fs(), DataPlan.GROUPS_DIRECTORY, task.groups().policy());
    }
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    try {
      List<Future<?>> files = new ArrayList<>();
      for (int i = 0; i < plan.files(); i++) {
        int file = i;
        files.add(writers.submit(() -> {
          place(DataPlan.path(file), plan.nodesOf(file), task.blockBytes());
          return null;
        }));
      }
      for (int i = 0; i < plan.groups(); i++) {
        int group = i;
        files.add(writers.submit(() -> {
          place(DataPlan.groupPath(group), plan.nodesOfGroup(group), task.groups().dataUnits() * task.blockBytes());
          return null;
        }));
      }
      for (Future<?> file : files) {
        file.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("cannot load the data set: " + e.getCause(), e.getCause());
    } finally {
      writers.shutdownNow();
    }
  }

  /** HDFS takes favored nodes as a hint, and disregards it where a DataNode is busy. */
  private void place(String path, List<Integer> nodes, long bytes) throws IOException, InterruptedException {
    for (int attempt = 0; attempt < MAX_PLACEMENTS; attempt++) {
      try (OutputStream out = hdfs.create(path, nodes)) {
        content.copyContent(path, 0, bytes, out);
      }
      if (isPlaced(path, nodes)) {
        return;
      }
      hdfs.delete(path);
    }
    throw new IOException("HDFS does not place " + path + " on DataNodes " + nodes);
  }

  /** A file may be closed when one replica has been reported, so this waits for the others. */
  private boolean isPlaced(String path, List<Integer> nodes) throws IOException, InterruptedException {
    Set<String> planned = nodes.stream().map(hdfs::uuid).collect(Collectors.toSet());
    Set<String> actual = Set.of();
    for (int polls = 0; polls < MAX_POLLS && actual.size() < planned.size(); polls++) {
      LocatedBlock block = hdfs.fs().getClient().getLocatedBlocks(path, 0).get(0);
      actual = Arrays.stream(block.getLocations()).map(DatanodeInfo::getDatanodeUuid).collect(Collectors.toSet());
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
    return actual.equals(planned);
  }
}
