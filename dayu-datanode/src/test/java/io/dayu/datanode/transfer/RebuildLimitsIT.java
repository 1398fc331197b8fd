/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.TestNumber;
import io.dayu.datanode.transfer.MiniGroupCluster.Group;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static io.dayu.datanode.transfer.MiniGroupCluster.CELL;
import static io.dayu.datanode.transfer.MiniGroupCluster.FAST;
import static io.dayu.datanode.transfer.MiniGroupCluster.LIMIT;
import static io.dayu.datanode.transfer.MiniGroupCluster.SMALL_CELL;
import static io.dayu.datanode.transfer.MiniGroupCluster.from;
import static io.dayu.datanode.transfer.MiniGroupCluster.grant;
import static io.dayu.datanode.transfer.MiniGroupCluster.sources;
import static io.dayu.datanode.transfer.MiniGroupCluster.withCodec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What bounds rebuilds on a DataNode, and DataNodes that cannot rebuild. {@code -Drebuilds.count} says after how many
 * memory is looked at.
 */
class RebuildLimitsIT {
  private static final long SEED = 20261127;
  private static final int COUNT = TestNumber.count("rebuilds.count", 40, 4);

  private static MiniGroupCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = new MiniGroupCluster(6, SEED, conf -> {});
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** A source ends a read only when its link has room, for which others must not wait. */
  @Test
  void memory_isFree_whileSourcesEndTheirReads() throws Exception {
    // So short that a source has sent all it has before the others begin.
    Group group = cluster.write(cluster.smallCells("rs", 3, 2), 3 * SMALL_CELL);
    DataNode target = cluster.free(group);
    Map<Integer, DataNode> holders = cluster.shuffled(group, 1);
    List<SourceProto> usual = sources(holders).subList(0, 3);
    GrantProto second = grant(group, 1, usual, FAST);
    long ofOne = RebuiltBlock.memoryBytes(RebuildSpec.of(group.internalBlock(1), second));
    TransferService service = cluster.service(target, PullCluster.shaper(), ofOne);
    try (SourceProxy unending = SourceProxy.unending(usual.get(0).getTransferPort());
        ClosedPort closed = new ClosedPort()) {
      List<SourceProto> with = new ArrayList<>(usual);
      with.set(0, usual.get(0).toBuilder().setTransferPort(unending.port()).build());
      with.set(2, usual.get(2).toBuilder().setTransferPort(closed.number()).build());
      GrantProto first = grant(group, 1, with, FAST);
      cluster.apply(service, first);
      Poll.until("it waits for the end of the read", LIMIT, () -> threadThatEndsARead() != null,
          () -> service.granted().status(cluster.pool()));
      Thread ending = threadThatEndsARead();
      with.set(2, usual.get(2));
      cluster.apply(service, from(first, group, with));
      cluster.assertRebuilt(service, target, group, 1, first);
      cluster.apply(service, second);
      cluster.assertRebuilt(service, target, group, 1, second);
      assertTrue(ending.isAlive(), "the second one waited for it");
    }
    cluster.assertNothingLeaks();
  }

  /** The thread of the first source, if it waits for the source's last packet. */
  private static Thread threadThatEndsARead() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(thread -> thread.getKey().getName().endsWith("-source-0") && Arrays.stream(thread.getValue())
            .anyMatch(frame -> frame.getClassName().equals(SourceStream.class.getName())
                && frame.getMethodName().equals("finish")))
        .map(Map.Entry::getKey).findFirst().orElse(null);
  }

  /** Each source is held to the rate by itself, and their sum to the link. */
  @Test
  void rate_isThatOfRebuiltBytes() throws Exception {
    Group group = cluster.write("RS-3-2-1024k", 6 * CELL);
    DataNode target = cluster.free(group);
    TransferService service = cluster.service(target);
    GrantProto grant = grant(group, 1, sources(cluster.shuffled(group, 1)), 1 << 20);
    long beganNs = System.nanoTime();
    cluster.apply(service, grant);
    cluster.end(service, grant);
    double seconds = (System.nanoTime() - beganNs) / 1e9;
    assertTrue(seconds > 1.3, "2 MB in " + seconds + " s");
    cluster.assertRebuilt(service, target, group, 1, grant);
    cluster.assertNothingLeaks();
  }

  /**
   * HADOOP-19341: direct memory and the tables of native coders. Half of the rebuilds are by a coder that counts
   * itself, the others by what Hadoop has for the group's codec: a native one, where its library is found.
   */
  @Test
  @Timeout(900)
  void directMemoryAndCoders_areReleased() throws Exception {
    BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct")).findFirst().orElseThrow();
    Group group = cluster.write(cluster.smallCells("rs", 3, 2), 12 * SMALL_CELL);
    DataNode target = cluster.free(group);
    TransferService service = cluster.service(target);
    RawErasureDecoder hadoops = CodecUtil.createRawDecoder(cluster.fs.getConf(), "rs", new ErasureCoderOptions(3, 2));
    System.out.println("Hadoop's coder: " + hadoops.getClass().getSimpleName());
    hadoops.release();
    long before = 0;
    for (int i = 0; i < COUNT; i++) {
      if (i % (COUNT / 4) == 0) {
        System.out.println(i + " rebuilds: " + direct.getMemoryUsed() + " bytes of direct memory, " + resident());
        before = i == COUNT / 4 ? direct.getMemoryUsed() : before;
      }
      List<SourceProto> from = sources(cluster.shuffled(group, 1));
      GrantProto sound = grant(group, 1, from, FAST);
      GrantProto grant = i % 2 == 0 ? withCodec(sound, TestCoders.DIRECT) : sound;
      cluster.apply(service, grant);
      if (i % 3 == 0) {
        cluster.apply(service);
        cluster.end(service, grant);
        if (cluster.ended(service, grant).getOutcome() != Outcome.DONE) {
          service.granted().acknowledge(cluster.pool(), List.of(grant.getAttempt()));
          continue;
        }
      }
      cluster.assertRebuilt(service, target, group, 1, grant);
    }
    cluster.assertNothingLeaks();
    System.out.println(COUNT + " rebuilds: " + direct.getMemoryUsed() + " bytes of direct memory, " + resident());
    // One rebuild takes 1.2 MB.
    assertTrue(direct.getMemoryUsed() - before < 3 << 20, direct.getMemoryUsed() + " after " + before);
    assertEquals(0, TestCoders.OPEN.get());
  }

  /** What the process has in memory, where the system says so. */
  private static String resident() throws IOException {
    Path status = Path.of("/proc/self/status");
    return !Files.exists(status) ? ""
        : Files.readAllLines(status).stream().filter(line -> line.startsWith("VmRSS")).findFirst().orElse("");
  }

  @Test
  void rebuildThatCannotBeDoneHere_isRefusedInOneLine() throws Exception {
    Group group = cluster.write("RS-3-2-1024k", 6 * CELL);
    DataNode target = cluster.free(group);
    TransferService small = cluster.service(target, PullCluster.shaper(), 1 << 20);
    GrantProto sound = grant(group, 1, sources(cluster.shuffled(group, 1)), FAST);
    assertRefused(small, sound, "dayu.datanode.rebuild.memory is 1048576 on this DataNode");
    assertRefused(small, withCodec(sound, "rs-unknown"), "no codec of this name");
    cluster.assertNothingLeaks();
    PullCluster.assertNoTrace(group.internalBlock(1), target);
  }

  private static void assertRefused(TransferService service, GrantProto grant, String why) throws Exception {
    GrantProto another = grant.toBuilder().setAttempt(grant.getAttempt() + 1_000 + why.length()).build();
    cluster.apply(service, another);
    FinishedTransferProto end = cluster.end(service, another);
    assertEquals(Outcome.TARGET_FAILED, end.getOutcome());
    assertTrue(end.getMessage().startsWith("cannot rebuild index 1 of the group blk_-")
        && end.getMessage().contains(why) && !end.getMessage().contains("\n"), end::getMessage);
  }
}
