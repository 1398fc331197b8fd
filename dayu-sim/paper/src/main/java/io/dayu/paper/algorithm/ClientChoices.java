/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.algorithm;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.IntRows;
import io.dayu.model.NodeTable;
import io.dayu.model.RunningTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.Stragglers;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.schedule.choice.NodeLoads;
import io.dayu.schedule.choice.SourceSelector;
import io.dayu.schedule.choice.TargetRules;
import io.dayu.schedule.choice.TargetSelector;
import io.dayu.schedule.rates.RateAllocator;
import io.dayu.sim.algorithm.DecentralizedScheduler;

import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Targets by client choices: a hash names d nodes, the client probes them and writes to the best by one metric of
 * theirs (Li and Wei, Optimizing Hash-based Distributed Storage Using Client Choices, slides 6 to 12; d = 2 in their
 * evaluation, slide 14). The hash is chance here, seeded. Not thread-safe.
 *
 * <p>The client is the source. It probes the nodes that its hash names, and the answers carry their metrics (slides 8
 * and 10): those of the moment, in which what a node is told in this plan counts. With an age, it keeps what it heard,
 * and asks again only when that is older: queues change faster than that (slide 19). Their claims (slide 20): space
 * 73 % to 96 % of the disks used, memory 80 % more reads, local 23 % more throughput; cpu, latency and journal 1.5 to
 * 1.9 % less. A simulated node has neither memory nor processors, and no copy may go to the rack of a replica, so there
 * is no local.
 */
public final class ClientChoices implements TimeslotScheduler, DecentralizedScheduler {
  private static final int CHOICES = 2;
  /** Draws of one choice before it is left out. */
  private static final int ATTEMPTS = 32;

  /** What makes a node the best. */
  public enum Policy {
    /** The most free room. */
    SPACE,
    /** The least foreground, by which its requests wait. */
    LATENCY,
    /** The fewest bytes on their way to it, which are what it has yet to write. */
    JOURNAL
  }

  private final Policy policy;
  private final SplittableRandom random;
  private final DayuScheduler scheduler;
  private NodeLoads loads;
  private double[] badness;
  private final ProbedMetrics probed;
  private int client;

  /** @param maxAge timeslots for which a client goes by what it heard; 0 = it probes before each choice */
  public ClientChoices(Policy policy, int maxAge, SourceSelector sources, RateAllocator rates, long seed) {
    this.policy = policy;
    probed = new ProbedMetrics(maxAge);
    random = new SplittableRandom(seed);
    scheduler = new DayuScheduler("client choices", new Choices(), new Clients(sources), rates, Stragglers.RESCHEDULE);
  }

  @Override
  public String name() {
    return scheduler.name();
  }

  @Override
  public long messages() {
    return probed.messages();
  }

  @Override
  public TimeslotPlan plan(ClusterSnapshot snapshot) {
    probed.beginTimeslot();
    badness = new double[snapshot.nodes().count()];
    for (int node = 0; node < badness.length; node++) {
      badness[node] = switch (policy) {
        case SPACE -> -snapshot.nodes().roomBytes()[0][node];
        case LATENCY -> -snapshot.nodes().recoverInBytesPerSec()[node];
        case JOURNAL -> 0;
      };
    }
    RunningTable running = snapshot.running();
    for (int r = 0; policy == Policy.JOURNAL && r < running.count(); r++) {
      badness[running.target()[r]] += snapshot.tasks().sizeBytes()[running.task()[r]] - running.doneBytes()[r];
    }
    return scheduler.plan(snapshot);
  }

  /** Remembers whose choice the next one is. */
  private final class Clients implements SourceSelector {
    private final SourceSelector sources;

    Clients(SourceSelector sources) {
      this.sources = sources;
    }

    @Override
    public void reset(NodeTable planNodes, IntRows planHolders, NodeLoads planLoads) {
      sources.reset(planNodes, planHolders, planLoads);
    }

    @Override
    public int select(int task, long bytes, boolean[] among) {
      client = sources.select(task, bytes, among);
      return client;
    }
  }

  /** The better of the nodes drawn. */
  private final class Choices implements TargetSelector {
    @Override
    public String name() {
      return "choices-" + policy.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public void reset(NodeLoads planLoads) {
      loads = planLoads;
    }

    @Override
    public int select(long sizeBytes, TargetRules rules) {
      int best = -1;
      double minBadness = Double.POSITIVE_INFINITY;
      for (int choice = 0; choice < CHOICES; choice++) {
        int node = draw(rules);
        double its = node < 0 ? Double.POSITIVE_INFINITY : probed.metric(client, node, () -> badness(node));
        if (its < minBadness) {
          best = node;
          minBadness = its;
        }
      }
      return best;
    }

    private int draw(TargetRules rules) {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int node = random.nextInt(loads.count());
        if (loads.acceptsMore(node) && rules.allows(node)) {
          return node;
        }
      }
      return -1;
    }

    private double badness(int node) {
      return badness[node] + (policy == Policy.LATENCY ? 0 : loads.assignedIn(node));
    }

    @Override
    public void loadChanged(int node) {
      // Loads are read where they are needed.
    }
  }
}
