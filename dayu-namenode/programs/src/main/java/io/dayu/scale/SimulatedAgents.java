/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.scale;

import io.dayu.namenode.RecoveryDriver;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.VolumeProto;
import org.apache.hadoop.hdfs.server.blockmanagement.LostNodes;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The agents of all nodes, on one thread: each reports about once a second, carries what it is granted, and has the
 * replica reported when it is there. As real ones, it runs a few transfers at once, in the order of their grants, and
 * these together take what recovery may take of the link. Not thread-safe.
 */
final class SimulatedAgents {
  private static final long SECOND_NS = 1_000_000_000L;
  /** Transfers that an agent runs at once; the others wait for them. */
  private static final int AT_ONCE = 4;

  private static final class Agent {
    private final String uuid;
    /** In the order of their grants. */
    private final Map<Long, Transfer> running = new LinkedHashMap<>();
    private final List<FinishedTransferProto> finished = new ArrayList<>();
    private final Set<Long> reported = new HashSet<>();
    private long sequence;
    private long obeyedActivation;
    private long obeyedSequence;

    private Agent(String uuid) {
      this.uuid = uuid;
    }
  }

  private static final class Transfer {
    private GrantProto grant;
    private double doneBytes;
    private double bytesPerSec;
    private long sinceNs;
  }

  private record Due(long atNs, Agent agent) {
  }

  private final RecoveryDriver recovery;
  private final LostNodes cluster;
  private final String blockPoolId;
  private final LoadProto load;
  private final double recoverBytesPerSec;
  private final PriorityQueue<Due> reports = new PriorityQueue<>((a, b) -> Long.compare(a.atNs, b.atNs));
  private volatile long received;

  /** @param recoverBytesPerSec what recovery may take of a node's link */
  SimulatedAgents(RecoveryDriver recovery, LostNodes cluster, String blockPoolId, int nodes, LoadProto load,
      double recoverBytesPerSec, long nowNs) {
    this.recovery = recovery;
    this.cluster = cluster;
    this.blockPoolId = blockPoolId;
    this.load = load;
    this.recoverBytesPerSec = recoverBytesPerSec;
    for (int i = 0; i < nodes; i++) {
      reports.add(new Due(nowNs + SECOND_NS * i / nodes, new Agent(LostNodes.uuid(i))));
    }
  }

  /** What a node with this bandwidth for recovery reports. */
  static LoadProto load(long capacityBytesPerSec, long foregroundBytesPerSec) {
    return LoadProto.newBuilder().setCapacityInBytesPerSec(capacityBytesPerSec)
        .setCapacityOutBytesPerSec(capacityBytesPerSec)
        .setForegroundInBytesPerSec(foregroundBytesPerSec).setForegroundOutBytesPerSec(foregroundBytesPerSec)
        .addVolumes(VolumeProto.newBuilder().setStorageId("DS").setStorageType("DISK").setMaxStreams(64)).build();
  }

  /** Blocks that have been received; may be called by any thread. */
  long received() {
    return received;
  }

  /** Has the agents whose reports are due report. Returns when the next is due. */
  long run(long nowNs) throws IOException {
    while (reports.peek().atNs - nowNs <= 0) {
      Agent agent = reports.poll().agent;
      long nextMs = report(agent, System.nanoTime());
      reports.add(new Due(nowNs + Math.max(100, Math.min(1_000, nextMs)) * 1_000_000, agent));
    }
    return reports.peek().atNs;
  }

  private long report(Agent agent, long nowNs) throws IOException {
    ReportProto.Builder report =
        ReportProto.newBuilder().setProtocolVersion(DayuProtocolPB.REVISION).setBlockPoolId(blockPoolId)
            .setDatanodeUuid(agent.uuid).setAgentIncarnation(1).setReportSequence(++agent.sequence).setLoad(load)
            .setObeyedActivation(agent.obeyedActivation).setObeyedSequence(agent.obeyedSequence);
    advance(agent, nowNs);
    for (Transfer transfer : agent.running.values()) {
      GrantProto grant = transfer.grant;
      report.addRunning(RunningTransferProto.newBuilder().setAttempt(grant.getAttempt()).setBlock(grant.getBlock())
          .setSource(grant.getSource()).setStorageType(grant.getStorageType()).setDoneBytes((long) transfer.doneBytes)
          .setRateBytesPerSec(grant.getRateBytesPerSec()).setAchievedBytesPerSec((long) transfer.bytesPerSec));
    }
    report.addAllFinished(agent.finished);
    CompletableFuture<AgentCommandsProto> answer = recovery.receive(report.build(), nowNs);
    AgentCommandsProto commands = answer.join();
    apply(agent, commands, nowNs);
    return commands.getNextReportMs();
  }

  private void advance(Agent agent, long nowNs) throws IOException {
    double bytesPerSec = recoverBytesPerSec / Math.max(1, Math.min(AT_ONCE, agent.running.size()));
    int begun = 0;
    for (Transfer transfer : List.copyOf(agent.running.values())) {
      GrantProto grant = transfer.grant;
      transfer.bytesPerSec = begun++ < AT_ONCE ? bytesPerSec : 0;
      transfer.doneBytes += (nowNs - transfer.sinceNs) * 1e-9 * transfer.bytesPerSec;
      transfer.sinceNs = nowNs;
      if (transfer.doneBytes >= grant.getBlock().getNumBytes()) {
        cluster.receive(new LostNodes.Copy(grant.getBlock().getBlockId(), agent.uuid));
        received++;
        agent.running.remove(grant.getAttempt());
        agent.reported.add(grant.getAttempt());
        agent.finished.add(FinishedTransferProto.newBuilder().setAttempt(grant.getAttempt())
            .setOutcome(FinishedTransferProto.Outcome.DONE).setBlockId(grant.getBlock().getBlockId()).build());
      }
    }
  }

  private static void apply(Agent agent, AgentCommandsProto commands, long nowNs) {
    if (!commands.getAuthoritative()) {
      return;
    }
    agent.obeyedActivation = commands.getActivation();
    agent.obeyedSequence = commands.getSequence();
    Set<Long> acknowledged = new HashSet<>(commands.getAcknowledgedList());
    agent.finished.removeIf(end -> acknowledged.contains(end.getAttempt()));
    Map<Long, Transfer> before = new HashMap<>(agent.running);
    agent.running.clear();
    for (GrantProto grant : commands.getGrantsList()) {
      if (!agent.reported.contains(grant.getAttempt())) {
        Transfer transfer = before.get(grant.getAttempt());
        if (transfer == null) {
          transfer = new Transfer();
          transfer.sinceNs = nowNs;
        }
        transfer.grant = grant;
        agent.running.put(grant.getAttempt(), transfer);
      }
    }
  }
}
