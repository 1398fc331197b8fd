/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.fs.StorageType;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The NameNode of another namespace on the same DataNodes (HDFS federation), as agents see it: now and then it recovers
 * something, and grants each of them transfers from the next ones within alpha of what they report. It has no block map
 * and nothing of the production code. The NameNodes of the namespace under test know nothing of it. Not thread-safe.
 */
final class OtherNamespace {
  static final String POOL = "BP-2";
  /** To one target, and from one source, at a time. */
  private static final int GRANTS = 3;
  private static final double ALPHA = 0.75;
  private static final long PERIOD_MS = 20_000;
  private static final int MIN_BLOCK_BYTES = 1_000_000;
  private static final int MAX_MORE_BLOCK_BYTES = 20_000_000;
  /** Ids and attempts from here on are no others'. */
  private static final long FIRST_ID = 1L << 40;

  private final SimulatedCluster cluster;
  private final long seed;
  private final Map<String, LoadProto> loads = new HashMap<>();
  /** Transfers by target and attempt, without their rates. */
  private final Map<String, Map<Long, GrantProto>> open = new HashMap<>();
  private long next = FIRST_ID;
  private long sequence;
  private boolean over;

  OtherNamespace(SimulatedCluster cluster, long seed) {
    this.cluster = cluster;
    this.seed = seed;
  }

  /** Nothing is to be recovered any more. */
  void stop() {
    over = true;
  }

  /** Of three periods it answers in two, and recovers something in one: a function of the time. */
  private int phase() {
    return new Random(seed ^ cluster.events.elapsedMs() / PERIOD_MS * 131_071L).nextInt(3);
  }

  boolean answers() {
    return over || phase() != 0;
  }

  AgentCommandsProto answer(SimulatedDataNode node, ReportProto report) {
    loads.put(node.uuid, report.getLoad());
    Map<Long, GrantProto> mine = open.computeIfAbsent(node.uuid, uuid -> new LinkedHashMap<>());
    List<Long> ended = report.getFinishedList().stream().map(FinishedTransferProto::getAttempt).toList();
    ended.forEach(mine::remove);
    if (over || phase() == 1) {
      mine.clear();
    } else {
      for (int i = 0; i < GRANTS; i++) {
        grant(node, i, mine);
      }
    }
    List<GrantProto> grants = new ArrayList<>();
    mine.values().forEach(grant -> grants.add(grant.toBuilder().setRateBytesPerSec(rate(node, grant))
        .setMaxBytesPerSec(rate(node, grant)).build()));
    return AgentCommandsProto.newBuilder().setProtocolVersion(DayuProtocolPB.REVISION).setNamenodeId("other")
        .setActivation(1).setSequence(++sequence).setAuthoritative(true).setNextReportMs(1_000).addAllGrants(grants)
        .addAllAcknowledged(ended).build();
  }

  /** Each DataNode has the same ones as sources and as targets, so that what it sends and receives is bounded. */
  private void grant(SimulatedDataNode target, int place, Map<Long, GrantProto> mine) {
    int index = cluster.dataNodes.indexOf(target);
    String source = cluster.dataNodes.get((index + 1 + place) % cluster.dataNodes.size()).uuid;
    boolean isGranted = mine.values().stream().anyMatch(grant -> grant.getSource().getDatanodeUuid().equals(source));
    if (loads.containsKey(source) && !isGranted) {
      long id = next++;
      mine.put(id, GrantProto.newBuilder().setAttempt(id)
          .setBlock(BlockSpecProto.newBuilder().setBlockId(id).setGenerationStamp(1)
              .setNumBytes(MIN_BLOCK_BYTES + cluster.random.nextInt(MAX_MORE_BLOCK_BYTES)))
          .setSource(SourceProto.newBuilder().setDatanodeUuid(source).setIpAddress("10.0.0.1").setHostName(source)
              .setTransferPort(9866))
          .setStorageType(StorageType.DISK.name()).setRateBytesPerSec(0).setLeaseMs((int) cluster.settings.leaseMs())
          .build());
    }
  }

  private long rate(SimulatedDataNode target, GrantProto grant) {
    LoadProto in = loads.get(target.uuid);
    LoadProto out = loads.get(grant.getSource().getDatanodeUuid());
    return (long) (ALPHA / GRANTS * Math.min(in.getCapacityInBytesPerSec() - in.getForegroundInBytesPerSec(),
        out.getCapacityOutBytesPerSec() - out.getForegroundOutBytesPerSec()));
  }
}
