/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.Topology;
import io.dayu.hosts.faults.DrawnFault;
import io.dayu.hosts.faults.FaultKind;
import io.dayu.programs.Screen;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Makes faults of a round happen, and undoes them. Thread-safe for faults of different targets: each DataNode, and the
 * NameNodes together.
 */
final class FaultActs {
  private static final int LIMP_DIVISOR = 10;
  /** As long as it takes until an admin's fencing has ended a NameNode that is no longer active. */
  private static final int FENCING_MS = 3_000;
  /** After shorter faults a NameNode writes its edits in time, although TCP sends again only some time later. */
  private static final int SAFE_MS = 8_000;
  private static final int EDITS_LIMIT_MS = 22_000;
  private static final int POLL_MS = 500;

  private final HostConf conf;
  private final FaultCluster cluster;
  private final LinkCuts cuts;
  private final HostClocks clocks;
  private final LoopVolumes fileSystems;
  private final DisturbedHosts disturbed;
  private final Screen screen;
  /** The NameNode that a fault hits, by the fault: which one is active changes meanwhile. */
  private final Map<DrawnFault, String> hit = new HashMap<>();

  /** @param fileSystems of the volumes; null if they have none of their own, and no fault needs them */
  FaultActs(HostConf conf, FaultCluster cluster, LinkCuts cuts, HostClocks clocks, LoopVolumes fileSystems,
      DisturbedHosts disturbed, Screen screen) {
    this.conf = conf;
    this.cluster = cluster;
    this.cuts = cuts;
    this.clocks = clocks;
    this.fileSystems = fileSystems;
    this.disturbed = disturbed;
    this.screen = screen;
  }

  private synchronized String host(DrawnFault fault) {
    return hit.computeIfAbsent(fault, any -> fault.node() >= 0 ? Topology.dataNode(fault.node())
        : fault.kind() == FaultKind.STANDBY_KILL ? cluster.standbyHost()
        : cluster.activeHost());
  }

  void begin(DrawnFault fault) throws IOException, InterruptedException {
    String host = host(fault);
    say(fault, host, fault.kind().beginText());
    disturbed.begin(host);
    if (fault.node() >= 0) {
      beginOnDataNode(fault, host);
    } else {
      beginOnNameNode(fault, host);
    }
  }

  void end(DrawnFault fault) throws IOException, InterruptedException {
    String host = host(fault);
    say(fault, host, fault.kind().endText());
    if (fault.node() >= 0) {
      endOnDataNode(fault, host);
    } else {
      endOnNameNode(fault, host);
    }
    disturbed.end(host, System.currentTimeMillis());
  }

  private void say(DrawnFault fault, String host, String text) {
    String detail = switch (fault.kind()) {
      case CUT_PEER -> " (" + Topology.dataNode(fault.peer()) + ")";
      case CLOCK, ACTIVE_CLOCK -> " (" + fault.clockSec() + " s)";
      case DISK_GONE, DISK_BACK, DISK_READ_ONLY -> " (volume" + fault.volume() + ")";
      default -> "";
    };
    screen.say("%s %s%s.", host, text, detail);
  }

  private void beginOnDataNode(DrawnFault fault, String host) throws IOException, InterruptedException {
    switch (fault.kind()) {
      case PARTITION -> {
        cuts.cutOut(host);
        cuts.cutIn(host);
      }
      case CUT_OUT -> cuts.cutOut(host);
      case CUT_IN -> cuts.cutIn(host);
      case CUT_PEER -> cuts.cutTo(host, Topology.dataNode(fault.peer()));
      case LIMP -> cuts.limp(host, LIMP_DIVISOR);
      case PAUSE -> cluster.daemon(host).pause();
      case KILL -> cluster.daemon(host).killAndWait();
      case DISK_GONE, DISK_BACK -> HostStorage.fail(volume(fault));
      case DISK_READ_ONLY -> LoopVolumes.turnReadOnly(volume(fault));
      case DISK_FULL -> {
        for (Path volume : volumes(fault)) {
          LoopVolumes.fill(volume);
        }
      }
      case CLOCK -> clocks.set(host, fault.clockSec());
      case UPGRADE -> cluster.daemon(host).stop();
      default -> throw new IllegalStateException(fault + " hits no DataNode");
    }
  }

  private void endOnDataNode(DrawnFault fault, String host) throws IOException, InterruptedException {
    switch (fault.kind()) {
      case PARTITION, CUT_OUT, CUT_IN, LIMP -> cuts.mend(host, true);
      case CUT_PEER -> cuts.mendTo(host, Topology.dataNode(fault.peer()));
      case PAUSE -> cluster.daemon(host).goOn();
      case KILL -> cluster.startDaemon(host);
      case DISK_GONE -> restart(host, () -> HostStorage.replace(volume(fault)));
      case DISK_BACK -> restart(host, () -> HostStorage.repair(volume(fault)));
      case DISK_READ_ONLY -> restart(host, () -> fileSystems.mountAgain(volume(fault)));
      case DISK_FULL -> {
        for (Path volume : volumes(fault)) {
          LoopVolumes.makeRoom(volume);
        }
      }
      case CLOCK -> clocks.set(host, 0);
      case UPGRADE -> {
        cluster.changeVersion(host);
        cluster.startDaemon(host);
      }
      default -> throw new IllegalStateException(fault + " hits no DataNode");
    }
  }

  /** What is done to a disk while no process uses it. */
  private interface Repair {
    void run() throws IOException, InterruptedException;
  }

  private void restart(String host, Repair repair) throws IOException, InterruptedException {
    cluster.daemon(host).killAndWait();
    repair.run();
    cluster.startDaemon(host);
  }

  private List<Path> volumes(DrawnFault fault) {
    return conf.dataNodeStorage(fault.node()).volumes();
  }

  private Path volume(DrawnFault fault) {
    return volumes(fault).get(fault.volume());
  }

  /** After a failover the new active NameNode is what counts. */
  private void beginOnNameNode(DrawnFault fault, String host) throws IOException, InterruptedException {
    switch (fault.kind()) {
      case ACTIVE_PAUSE -> cluster.daemon(host).pause();
      case ACTIVE_CUT_OUT -> cuts.cutOut(host);
      case ACTIVE_CUT_IN -> cuts.cutIn(host);
      case ACTIVE_CLOCK -> clocks.set(host, fault.clockSec());
      case STANDBY_KILL, FAILOVER_KILL -> cluster.daemon(host).killAndWait();
      case FAILOVER_PAUSE -> cluster.daemon(host).pause();
      case FAILOVER_PARTITION -> {
        cuts.cutOut(host);
        cuts.cutIn(host);
      }
      case FAILOVER_UPGRADE -> cluster.daemon(host).stop();
      default -> throw new IllegalStateException(fault + " hits no NameNode");
    }
    if (isFailover(fault)) {
      failOver();
    }
  }

  private static boolean isFailover(DrawnFault fault) {
    return switch (fault.kind()) {
      case FAILOVER_KILL, FAILOVER_PAUSE, FAILOVER_PARTITION, FAILOVER_UPGRADE -> true;
      default -> false;
    };
  }

  private void failOver() throws IOException, InterruptedException {
    String next = cluster.standbyHost();
    disturbed.begin(next);
    cluster.failOver();
    disturbed.end(next, System.currentTimeMillis());
    screen.say("%s is active.", next);
  }

  private void endOnNameNode(DrawnFault fault, String host) throws IOException, InterruptedException {
    switch (fault.kind()) {
      case ACTIVE_PAUSE -> {
        cluster.daemon(host).goOn();
        failOverIfEnded(fault, host);
      }
      case ACTIVE_CUT_OUT, ACTIVE_CUT_IN -> {
        cuts.mend(host, false);
        failOverIfEnded(fault, host);
      }
      case ACTIVE_CLOCK -> clocks.set(host, 0);
      case STANDBY_KILL, FAILOVER_KILL -> cluster.startDaemon(host);
      case FAILOVER_PAUSE -> {
        cluster.daemon(host).goOn();
        fence(host);
      }
      case FAILOVER_PARTITION -> {
        cuts.mend(host, false);
        fence(host);
      }
      case FAILOVER_UPGRADE -> {
        cluster.changeVersion(host);
        cluster.startDaemon(host);
      }
      default -> throw new IllegalStateException(fault + " hits no NameNode");
    }
  }

  /** A NameNode that could not write edits for 20 s ends. There is no other program here that notices it. */
  private void failOverIfEnded(DrawnFault fault, String host) throws IOException, InterruptedException {
    long beganNs = System.nanoTime();
    int limitMs = fault.endMs() - fault.beginMs() < SAFE_MS ? 0 : EDITS_LIMIT_MS;
    while (cluster.daemon(host).isAlive() && System.nanoTime() - beganNs < TimeUnit.MILLISECONDS.toNanos(limitMs)) {
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
    if (!cluster.daemon(host).isAlive()) {
      screen.say("%s has ended, since it could not write edits.", host);
      failOver();
      cluster.startDaemon(host);
    }
  }

  /** For a moment both NameNodes believe that they are active. */
  private void fence(String host) throws IOException, InterruptedException {
    TimeUnit.MILLISECONDS.sleep(FENCING_MS);
    cluster.daemon(host).killAndWait();
    cluster.startDaemon(host);
  }
}
