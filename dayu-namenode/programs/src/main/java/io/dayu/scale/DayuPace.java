/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.scale;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.RecoveryDriver;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.apache.hadoop.hdfs.server.blockmanagement.LostNodes;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.locks.LockSupport;

/** Dayu's recovery loop, with agents whose bandwidth makes the pace. */
final class DayuPace implements Pace {
  private static final long MAX_PARK_NS = 50_000_000;
  private static final long MIN_PARK_NS = 100_000;

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final RecoveryDriver recovery;
  private final SimulatedAgents agents;
  private final Thread loop;
  private final Thread dataNodes = new Thread(this::runAgents, "agents");
  private volatile boolean stopped;
  private volatile long loopCpuNs;
  private long underWay;
  private long journalBytes;
  private long journalDropped;

  /** @param recoverBytesPerSec what recovery may take of a node's link */
  DayuPace(FSNamesystem namesystem, BlockManagerAccess blocks, LostNodes cluster, int nodes, long recoverBytesPerSec,
      Settings settings) throws Exception {
    recovery = new RecoveryDriver(blocks, settings, scheduler -> scheduler, "nn", System::nanoTime,
        System::currentTimeMillis, timer);
    Runnable production = recovery.loop(blocks, blocks, settings);
    loop = new Thread(() -> {
      production.run();
      loopCpuNs = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }, "Dayu recovery loop");
    agents = new SimulatedAgents(recovery, cluster, namesystem.getBlockPoolId(), nodes,
        SimulatedAgents.load((long) (recoverBytesPerSec / settings.ratio(Setting.MAX_UTILIZATION)), 0),
        recoverBytesPerSec, System.nanoTime());
  }

  @Override
  public void start() {
    loop.start();
    dataNodes.start();
  }

  private void runAgents() {
    try {
      while (!stopped) {
        long nextNs = agents.run(System.nanoTime());
        LockSupport.parkNanos(Math.min(MAX_PARK_NS, Math.max(MIN_PARK_NS, nextNs - System.nanoTime())));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public long received() {
    return agents.received();
  }

  @Override
  public Thread lockHolder() {
    return loop;
  }

  @Override
  public void stop() throws InterruptedException {
    underWay = recovery.status().getRunningTransfers();
    journalBytes = recovery.journalBytes();
    journalDropped = recovery.journalDropped();
    stopped = true;
    recovery.stopLoop();
    loop.join();
    dataNodes.join();
    timer.shutdownNow();
  }

  @Override
  public Map<String, Object> results() {
    Map<String, Object> results = new LinkedHashMap<>();
    results.put("under.way", underWay);
    results.put("journal.bytes", journalBytes);
    results.put("journal.dropped", journalDropped);
    results.put("state", "\"" + recovery.status().getState() + ": " + recovery.status().getStateReason() + "\"");
    results.put("timeslots", recovery.status().getTimeslot());
    results.put("plan.ms", recovery.status().getLastPlanMillis());
    results.put("rejected", recovery.status().getTotalRejected());
    results.put("loop.cpu.us.per.block", Math.round(loopCpuNs / 1e1 / Math.max(1, received())) / 1e2);
    return results;
  }
}
