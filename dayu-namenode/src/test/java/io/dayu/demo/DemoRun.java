/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.demo;

import io.dayu.demo.TimeslotFeed.Status;
import io.dayu.harness.Await;
import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.ClusterVerifier;
import io.dayu.harness.DayuCluster;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * One run of the demo over a cluster that is given to it: write, load, kill, watch, prove. Single-threaded. Whatever is not as it
 * should be ends it with a {@link DemoFailure}, recovery by stock HDFS instead of Dayu included.
 */
final class DemoRun {
  private static final Duration STATE_LIMIT = Duration.ofSeconds(60);
  private static final Duration DEATH_LIMIT = Duration.ofSeconds(60);
  private static final Duration SETTLE_LIMIT = Duration.ofSeconds(60);
  private static final Duration COUNT_LIMIT = Duration.ofSeconds(10);
  private static final long STALL_MS = TimeUnit.SECONDS.toMillis(90);
  private static final long POLL_MS = 100;
  private static final int BLOCKS_PER_FILE = 4;

  /** The reason why the demo has failed. */
  static final class DemoFailure extends Exception {
    DemoFailure(String reason) {
      super(reason);
    }
  }

  private final DemoOptions options;
  private final Screen screen;
  private final TimeslotFeed feed;
  private final DemoResult result;

  DemoRun(DemoOptions options, Screen screen, TimeslotFeed feed, DemoResult result) {
    this.options = options;
    this.screen = screen;
    this.feed = feed;
    this.result = result;
  }

  /** The cluster that the options describe, not yet started. */
  static ClusterBuilder cluster(DemoOptions options) {
    return DayuCluster.builder().dataNodes(options.nodes()).racks(options.racks()).volumesPerNode(2)
        .blockSizeBytes(options.blockBytes()).bandwidthBytesPerSec(options.bandwidthBytesPerSec()).seed(options.seed());
  }

  void run(DayuCluster cluster) throws Exception {
    awaitDayu();
    write(cluster);
    LostReplicas lost;
    Status before;
    try (ForegroundLoad load = new ForegroundLoad(cluster, options)) {
      screen.say("Foreground load has begun: 1 client writes small files, 2 read and compare them.");
      before = feed.read();
      lost = kill(cluster);
      watch(lost, before);
      load.close();
      result.put("foregroundFilesRead", load.filesRead());
      result.put("foregroundFilesWritten", load.filesWritten());
      if (!load.errors().isEmpty()) {
        throw new DemoFailure("foreground clients met errors: " + load.errors());
      }
      screen.say("Foreground load has ended: %d files read and compared, %d written, no error.", load.filesRead(),
          load.filesWritten());
    }
    prove(cluster, lost, before);
  }

  private void awaitDayu() throws Exception {
    screen.say("Waiting until Dayu has taken over from the stock replication policy.");
    try {
      Await.until("state DAYU", STATE_LIMIT, () -> feed.read().state().equals("DAYU"));
    } catch (AssertionError late) {
      Status status = feed.read();
      throw new DemoFailure("Dayu is in state " + status.state() + " after " + STATE_LIMIT.toSeconds() + " s: "
          + status.reason());
    }
    screen.say("Dayu is active (state DAYU): stock replication is parked.");
  }

  private void write(DayuCluster cluster) throws IOException {
    long fileBytes = BLOCKS_PER_FILE * options.blockBytes();
    screen.say("Writing %s in files of up to %s, %d replicas each.", Screen.mib(options.dataBytes()), Screen.mib(fileBytes),
        options.replication());
    for (long doneBytes = 0; doneBytes < options.dataBytes(); doneBytes += fileBytes) {
      cluster.write("/data/" + doneBytes / fileBytes, Math.min(fileBytes, options.dataBytes() - doneBytes),
          options.replication());
      screen.progress(Screen.bar((double) doneBytes / options.dataBytes()) + "  " + Screen.mib(doneBytes));
    }
    screen.progress("");
    screen.say("Wrote %d files.", cluster.files().lengthsBytes().size());
  }

  /** Stops a DataNode and waits for the NameNode to find out by itself. */
  private LostReplicas kill(DayuCluster cluster) throws Exception {
    int victim = new SplittableRandom(options.seed()).nextInt(options.nodes());
    DatanodeInfo node = cluster.descriptor(victim);
    screen.say("Killing DataNode %d of %d (%s in %s), without a word to the NameNode.", victim, options.nodes(),
        node.getXferAddr(), node.getNetworkLocation());
    cluster.stop(victim);
    long stoppedNs = System.nanoTime();
    List<BlockInfo> onVictim = List.of();
    while (true) {
      List<BlockInfo> seen = cluster.blocksOn(victim);
      // Looked at after the list: if the node still counts as alive, the list was whole.
      if (!cluster.descriptor(victim).isAlive()) {
        break;
      }
      onVictim = seen;
      double waitedSec = (System.nanoTime() - stoppedNs) / 1e9;
      if (waitedSec > DEATH_LIMIT.toSeconds()) {
        throw new DemoFailure("the NameNode still holds the node for alive after " + DEATH_LIMIT.toSeconds() + " s");
      }
      screen.progress(String.format("No heartbeat for %.0f s; the NameNode declares the node dead after 11 to 16 s.", waitedSec));
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
    screen.progress("");
    LostReplicas lost = new LostReplicas(cluster, onVictim.stream().filter(BlockInfo::isComplete).toList());
    result.put("killedNode", victim);
    result.put("lostBlocks", lost.blocks());
    result.put("lostBytes", lost.bytes());
    screen.say("The NameNode has declared it dead: %d blocks, %s, have lost a replica.", lost.blocks(),
        Screen.mib(lost.bytes()));
    if (lost.blocks() == 0) {
      throw new DemoFailure("the killed node held no block, so there is nothing to recover");
    }
    return lost;
  }

  private void watch(LostReplicas lost, Status before) throws Exception {
    long lastTimeslot = before.timeslot();
    while (!lost.allRecovered()) {
      lost.refresh();
      Status now = feed.read();
      if (!now.state().equals("DAYU")) {
        throw new DemoFailure("Dayu gave recovery back: state " + now.state() + ", " + now.reason());
      }
      if (now.timeslot() != lastTimeslot) {
        lastTimeslot = now.timeslot();
        screen.say("timeslot %-4d planned %-4d rejected %-4d finished %-4d running %-4d waiting %d", now.timeslot(),
            now.lastPlanned(), now.lastRejected(), now.lastFinished(), now.runningTransfers(), now.waitingBlocks());
      }
      screen.progress(lost.progress(now.progressBytes()));
      if (lost.sinceLastRecoveryMs() > STALL_MS) {
        throw new DemoFailure("no block has come back for " + STALL_MS / 1000 + " s: " + lost.progress(now.progressBytes()) + ", " + now);
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
    screen.progress("");
    result.put("recoveryMs", lost.elapsedMs());
    screen.say("All %d blocks, %s, have their replicas again, %.1f s after the loss was known.", lost.blocks(),
        Screen.mib(lost.bytes()), lost.elapsedMs() / 1e3);
  }

  private void prove(DayuCluster cluster, LostReplicas lost, Status before) throws Exception {
    screen.say("Proving it: fsck, every file read back and compared, no partial replica, no counter left.");
    ClusterVerifier.Verdict verdict = new ClusterVerifier(cluster).verify(SETTLE_LIMIT);
    result.put("verifiedBlocks", verdict.blocks());
    result.put("verifiedFiles", verdict.filesRead());
    result.put("verifiedBytes", verdict.bytesRead());
    if (!verdict.problems().isEmpty()) {
      throw new DemoFailure("the cluster is not sound: " + String.join("; ", verdict.problems()));
    }
    screen.say("fsck: HEALTHY, %d blocks, none under-replicated. %d files, %s, read back and equal. No partial replica.",
        verdict.blocks(), verdict.filesRead(), Screen.mib(verdict.bytesRead()));
    // The block map knows of the last replicas a little before Dayu has counted them.
    Await.holdsWithin(COUNT_LIMIT, () -> feed.read().totalFinished() - before.totalFinished() >= lost.blocks());
    Status after = feed.read();
    long finished = after.totalFinished() - before.totalFinished();
    long recoveredBytes = after.recoveredBytes() - before.recoveredBytes();
    result.put("timeslots", after.timeslot() - before.timeslot());
    result.put("planned", after.totalPlanned() - before.totalPlanned());
    result.put("rejected", after.totalRejected() - before.totalRejected());
    result.put("finished", finished);
    result.put("failed", after.totalFailed() - before.totalFailed());
    result.put("recoveredBytes", recoveredBytes);
    if (!after.state().equals("DAYU") || finished < lost.blocks() || recoveredBytes < lost.bytes()) {
      throw new DemoFailure("not all of it was recovered by Dayu: state " + after.state() + ", " + finished + " transfers and "
          + recoveredBytes + " bytes finished for " + lost.blocks() + " blocks and " + lost.bytes() + " bytes lost");
    }
    screen.say("All by Dayu: %d transfers, %s, in %d timeslots.", finished, Screen.mib(recoveredBytes),
        after.timeslot() - before.timeslot());
  }
}
