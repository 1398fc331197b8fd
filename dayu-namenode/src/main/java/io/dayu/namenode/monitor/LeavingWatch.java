/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import io.dayu.blocks.BlockInspection;
import io.dayu.blocks.LeavingNode;
import io.dayu.blocks.LeavingPipeline;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;

/**
 * Follows DataNodes that are decommissioning or entering maintenance, on a thread of its own: a look at a million
 * replicas takes seconds, which the recovery loop does not have. {@link #latest} is safe for use by all threads.
 */
public final class LeavingWatch implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(LeavingWatch.class);

  private static final long PERIOD_NS = TimeUnit.SECONDS.toNanos(10);
  /** While there is a deadline. */
  private static final long OFTEN_NS = TimeUnit.SECONDS.toNanos(2);
  /** How often it is looked whether DataNodes have begun to leave, which makes a look due. */
  private static final long POLL_NS = TimeUnit.SECONDS.toNanos(1);
  /** A look takes at most this part of the time. */
  private static final int MAX_SHARE = 20;
  /** Files with a leaving pipeline that are named. */
  private static final int MAX_PIPELINES = 100;

  /**
   * One of them.
   *
   * @param etaSeconds until recovery has copied what it can; negative = not known
   * @param etaError by which fraction the first estimate was wrong, as seen now; negative = not known
   * @param fromNs since when the rate is measured that the estimate follows from
   * @param untilNs until when: the time of the last look
   */
  public record Leaving(LeavingNode node, long etaSeconds, double etaError, long fromNs, long untilNs) {
  }

  private final BlockInspection inspection;
  private final LongPredicate unplaceable;
  private final BooleanSupplier active;
  private final Map<String, LeavingEstimate> estimates = new HashMap<>();
  private volatile List<Leaving> latest = List.of();
  private volatile boolean often;
  private volatile List<LeavingPipeline> pipelines = List.of();
  private volatile boolean stopped;
  private volatile Thread thread;
  private boolean failing;

  /**
   * @param unplaceable whether no DataNode can take the block of this id
   * @param active whether this NameNode is active, so that it knows what lacks replicas
   */
  public LeavingWatch(BlockInspection inspection, LongPredicate unplaceable, BooleanSupplier active) {
    this.inspection = inspection;
    this.unplaceable = unplaceable;
    this.active = active;
  }

  /** As of the last look, in the order of their names. */
  public List<Leaving> latest() {
    return latest;
  }

  /** Whether to look often, since there is a deadline. */
  void lookOften(boolean wanted) {
    often = wanted;
  }

  /** Files that are being written to leaving DataNodes only, as of the last look. */
  public List<LeavingPipeline> pipelines() {
    return pipelines;
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    while (!stopped) {
      long beganNs = System.nanoTime();
      int outOfService = nodesOutOfService();
      look(beganNs);
      long tookNs = System.nanoTime() - beganNs;
      try {
        do {
          TimeUnit.NANOSECONDS.sleep(POLL_NS);
        } while (!isDue(System.nanoTime() - beganNs, tookNs, outOfService));
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** @param outOfService how many DataNodes were out of service when the last look began, which took {@code tookNs} */
  private boolean isDue(long sinceNs, long tookNs, int outOfService) {
    return sinceNs >= MAX_SHARE * tookNs
        && (sinceNs >= (often ? OFTEN_NS : PERIOD_NS) || nodesOutOfService() > outOfService);
  }

  /** 0 if that cannot be read: a failure must not end the thread. */
  private int nodesOutOfService() {
    try {
      return inspection.nodesOutOfService();
    } catch (RuntimeException | LinkageError e) {
      LOG.debug("Dayu: the number of DataNodes out of service could not be read", e);
      return 0;
    }
  }

  /** Ends the thread. */
  public void stop() {
    stopped = true;
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }

  /** Looks once; a failure must not end the thread. */
  void look(long nowNs) {
    try {
      List<LeavingNode> nodes =
          active.getAsBoolean() ? new ArrayList<>(inspection.leavingNodes(unplaceable)) : new ArrayList<>();
      nodes.sort((a, b) -> a.name().compareTo(b.name()));
      estimates.keySet().retainAll(nodes.stream().map(LeavingNode::uuid).toList());
      List<Leaving> found = new ArrayList<>();
      for (LeavingNode node : nodes) {
        LeavingEstimate estimate = estimates.computeIfAbsent(node.uuid(), uuid -> new LeavingEstimate(nowNs));
        estimate.observe(node.copiedBytes(), nowNs);
        found.add(new Leaving(node, estimate.etaSeconds(), estimate.error(), estimate.fromNs(), nowNs));
      }
      latest = List.copyOf(found);
      lookAtPipelines(active.getAsBoolean() ? inspection.leavingPipelines(MAX_PIPELINES) : List.of());
      failing = false;
    } catch (RuntimeException | LinkageError e) {
      if (!failing) {
        failing = true;
        LOG.warn("Dayu: what is left on DataNodes that leave could not be read; recovery itself goes on", e);
      }
    }
  }

  /** Logs those that are new. */
  private void lookAtPipelines(List<LeavingPipeline> leaving) {
    Set<String> known = pipelines.stream().map(LeavingPipeline::file).collect(Collectors.toSet());
    leaving.stream().filter(one -> !known.contains(one.file())).forEach(one -> LOG.warn(
        "Dayu: {} is being written to DataNodes that all leave ({}); HDFS does not wait for its last block, so its "
            + "writer may fail: have it closed first, or keep one of them in service",
        one.file(), String.join(", ", one.nodes())));
    pipelines = List.copyOf(leaving);
  }

  /** Blocks left on all of them, a block on two of them twice. */
  long blocksLeft() {
    return latest.stream().mapToLong(one -> one.node().copiedBlocks() + one.node().blockedBlocks()).sum();
  }

  /** Of these the bytes that recovery is to copy. */
  long bytesLeft() {
    return latest.stream().mapToLong(one -> one.node().copiedBytes()).sum();
  }

  /** Of these the blocks that something else than recovery holds up. */
  long blockedBlocks() {
    return latest.stream().mapToLong(one -> one.node().blockedBlocks()).sum();
  }

  /** The longest time left; negative = not known of some. */
  long secondsLeft() {
    return latest.stream().anyMatch(one -> one.etaSeconds() < 0) ? -1
        : latest.stream().mapToLong(Leaving::etaSeconds).max().orElse(0);
  }
}
