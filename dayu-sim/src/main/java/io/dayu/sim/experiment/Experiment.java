/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.experiment;

import io.dayu.schedule.TimeslotScheduler;
import io.dayu.sim.Cluster;
import io.dayu.sim.SeedMix;
import io.dayu.sim.engine.IdealRecovery;
import io.dayu.sim.engine.PlacementBound;
import io.dayu.sim.engine.RecoveryOutcome;
import io.dayu.sim.engine.RecoverySimulation;
import io.dayu.sim.engine.SimulationSettings;
import io.dayu.sim.foreground.ForegroundModel;
import io.dayu.sim.incident.ClusterEvent;
import io.dayu.sim.incident.EventPattern;
import io.dayu.sim.incident.Incident;
import io.dayu.sim.placement.LostBlocks;
import io.dayu.sim.placement.Placement;
import io.dayu.sim.placement.PossibleTargets;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleConsumer;
import java.util.stream.Collectors;

/**
 * A cluster and the failures that happen to it: random nodes at random moments (ATC'19 §5), the same for every
 * algorithm. Immutable.
 *
 * @param cluster the nodes
 * @param foreground their traffic
 * @param placement where replicas lie
 * @param chunks chunks on each node, on average
 * @param chunkBytes size of each, on average
 * @param seed of failures and chunks
 * @param times when failures may happen
 * @param eachNode whether failure number i is that of candidate i, all at one moment, rather than of a node drawn by
 *     chance
 * @param events what happens instead of the loss of one node; empty if one node is lost
 */
public record Experiment(Cluster cluster, ForegroundModel foreground, Placement placement, int chunks, long chunkBytes,
    long seed, FailureTimes times, boolean eachNode, List<EventPattern> events) {
  private static final int NAMED = 8;

  /** Random nodes at random times. */
  public Experiment(Cluster cluster, ForegroundModel foreground, Placement placement, int chunks, long chunkBytes,
      long seed) {
    this(cluster, foreground, placement, chunks, chunkBytes, seed, FailureTimes.ANY, false, List.of());
  }

  /** The same with other failures. */
  public Experiment with(FailureTimes others, boolean each) {
    return new Experiment(cluster, foreground, placement, chunks, chunkBytes, seed, others, each, events);
  }

  /** The same with a list of events. */
  public Experiment with(List<EventPattern> others) {
    return new Experiment(cluster, foreground, placement, chunks, chunkBytes, seed, times, eachNode, others);
  }

  /** Failure number {@code index}, from 0. */
  public Failure failure(int index) {
    long own = SeedMix.seed(seed, index);
    int[] candidates = placement.candidates();
    int node = candidates[eachNode ? index % candidates.length : SeedMix.below(SeedMix.next(own), candidates.length)];
    long moment = eachNode ? SeedMix.seed(seed, 0) : own;
    long slot = times.slot(SeedMix.uniform(SeedMix.next(SeedMix.next(moment))), foreground);
    if (events.isEmpty()) {
      LostBlocks all = placement.lose(node, chunks, chunkBytes, own);
      boolean[] hasTarget = PossibleTargets.of(all, cluster);
      int without = 0;
      for (boolean has : hasTarget) {
        without += has ? 0 : 1;
      }
      LostBlocks lost = without == 0 || without == all.count() ? all : all.only(hasTarget);
      return new Failure(slot, lost, Incident.of(lost), placement.nodeName(node), without,
          without < all.count());
    }
    List<ClusterEvent> drawn = EventPattern.draw(events, cluster, candidates, new SplittableRandom(own));
    Incident incident = Incident.of(drawn, placement, chunks, chunkBytes, own);
    String name = drawn.stream().map(event -> event.atMs() / 1000 + "s " + event.kind()
        + " " + placement.nodeName(event.node())).limit(NAMED).collect(Collectors.joining("; "));
    return new Failure(slot, incident.blocks(), incident, drawn.size() > NAMED ? name + "; ..." : name, 0, true);
  }

  /**
   * One failure.
   *
   * @param firstSlot slot of the foreground at whose begin it happens
   * @param lost the blocks that it touches, but for those without a target if there are others
   * @param incident what happens
   * @param name the node that is lost, or the events
   * @param withoutTarget blocks that no node that is left may take; of a list of events they are not counted
   * @param recoverable whether any block has a target
   */
  public record Failure(long firstSlot, LostBlocks lost, Incident incident, String name, int withoutTarget,
      boolean recoverable) {

    /**
     * Checks that there is something to recover.
     *
     * @throws IllegalArgumentException if no block has a target, saying what lacks
     */
    public void checkTargets() {
      if (!recoverable) {
        throw new IllegalArgumentException(
            "nothing can be recovered if " + name + " is lost: of the nodes that are left "
                + "none may take any of its " + withoutTarget
                + " blocks, since each has a replica of the block, is on a rack "
                + "that the block must not use, is leaving, or has no room. It takes more nodes than replicas.");
      }
    }
  }

  public RecoveryOutcome recover(Failure failure, SimulationSettings settings, TimeslotScheduler scheduler) {
    return recover(failure, settings, scheduler, share -> {});
  }

  /** @param progress receives the share of the blocks that are recovered */
  public RecoveryOutcome recover(Failure failure, SimulationSettings settings, TimeslotScheduler scheduler,
      DoubleConsumer progress) {
    return new RecoverySimulation(cluster, foreground, failure.firstSlot(), failure.incident(), settings, scheduler)
        .onProgress(progress).run();
  }

  /** What the placement of the replicas allows at best; for a list of events the ideal. */
  public double boundSeconds(Failure failure, SimulationSettings settings, double idealSec) {
    return events.isEmpty()
        ? PlacementBound.seconds(cluster, foreground, failure.firstSlot(), failure.lost(), settings, idealSec)
        : idealSec;
  }

  public double idealSeconds(Failure failure, SimulationSettings settings) {
    return events.isEmpty() ? IdealRecovery.seconds(cluster, foreground, failure.firstSlot(), failure.lost(), settings)
        : IdealRecovery.seconds(cluster, foreground, failure.firstSlot(), failure.incident(), settings);
  }
}
