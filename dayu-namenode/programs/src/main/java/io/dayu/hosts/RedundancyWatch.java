/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import com.fasterxml.jackson.databind.JsonNode;
import io.dayu.programs.Screen;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Looks at all blocks and at Dayu every two seconds, on a thread of its own. Thread-safe. */
final class RedundancyWatch implements Closeable {
  private static final int PERIOD_MS = 2_000;
  private static final int MAX_EXPLAINED = 3;

  private final HostConf conf;
  private final FaultCluster cluster;
  private final List<NameNodeStatus> nameNodes;
  private final DisturbedHosts disturbed;
  private final Screen screen;
  private final UnrecoveredBlocks blocks = new UnrecoveredBlocks();
  private final CopiedReplicas copied = new CopiedReplicas();
  private final DayuActivity dayu = new DayuActivity();
  private final List<String> violations = new ArrayList<>();
  private final Thread thread = new Thread(this::watch, "redundancy-watch");
  private volatile boolean closed;
  private long looks;

  /** @param nameNodes for this watch alone, in the order of their hosts */
  RedundancyWatch(HostConf conf, FaultCluster cluster, List<NameNodeStatus> nameNodes, DisturbedHosts disturbed,
      Screen screen) {
    this.conf = conf;
    this.cluster = cluster;
    this.nameNodes = nameNodes;
    this.disturbed = disturbed;
    this.screen = screen;
    thread.setDaemon(true);
    thread.start();
  }

  private void watch() {
    try {
      while (!closed) {
        look();
        TimeUnit.MILLISECONDS.sleep(PERIOD_MS);
      }
    } catch (IOException | RuntimeException e) {
      if (!closed) {
        violated("the watch has ended: " + e);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void look() throws IOException, InterruptedException {
    String active = cluster.activeHost();
    NameNodeStatus nameNode = nameNodes.get(conf.layout().nameNodeHosts().indexOf(active));
    Optional<Set<String>> live = nameNode.liveHosts();
    Optional<List<FsckBlock>> all = live.isPresent() ? nameNode.blocks() : Optional.empty();
    Optional<JsonNode> status = all.isPresent() ? nameNode.bean("DayuStatus") : Optional.empty();
    long nowMs = System.currentTimeMillis();
    if (all.isEmpty()) {
      return;
    }
    List<FsckBlock> late;
    synchronized (this) {
      looks++;
      copied.look(all.get());
      status.map(bean -> bean.get("TotalFinished")).ifPresent(total -> dayu.noteFinished(active, total.asLong()));
      if (!disturbed.isCalm(active, nowMs)) {
        blocks.forget();
        return;
      }
      dayu.noteState(status.map(bean -> bean.path("State").asText()).orElse(""));
      late = blocks.look(all.get(), live.get().stream().filter(host -> disturbed.isCalm(host, nowMs))
          .map(conf.addresses()::get).collect(Collectors.toSet()), nowMs);
    }
    for (int i = 0; i < late.size(); i++) {
      violated(late.get(i) + " has not been recovered for " + UnrecoveredBlocks.LIMIT_MS / 1_000 + " s");
      if (i < MAX_EXPLAINED) {
        screen.say("hdfs dayu -explain says of %s: %s", late.get(i).id(), explanation(late.get(i).id()));
      }
    }
  }

  private String explanation(String id) throws InterruptedException {
    try {
      return cluster.hdfsDayu("-explain", id);
    } catch (IOException e) {
      return "nothing: " + e.getMessage();
    }
  }

  private void violated(String what) {
    screen.say("VIOLATION: %s", what);
    synchronized (this) {
      violations.add(what);
    }
  }

  synchronized List<String> violations() {
    return List.copyOf(violations);
  }

  /** Who has recovered, for people. */
  synchronized String whoRecovered() {
    return dayu.summary(copied.copies());
  }

  /** What shows that it was not Dayu. */
  synchronized List<String> notDayu() {
    return dayu.violations(copied.copies());
  }

  /** How often it has seen all blocks. */
  synchronized long looks() {
    return looks;
  }

  /** How long a block has waited in vain at most. */
  synchronized long longestMs() {
    return blocks.longestMs();
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
