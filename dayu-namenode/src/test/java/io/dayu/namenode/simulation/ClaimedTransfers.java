/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.GroupProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;

import java.util.List;

/**
 * What {@link Lie#CLAIMS_TRANSFERS} claims of all that lacks replicas: blocks are said to come from a DataNode that
 * does not exist, internal blocks of groups to be rebuilt from those that have the others.
 */
final class ClaimedTransfers {
  private final SimulatedDataNode node;
  private final ModelBlockMap map;
  private final String nobody;

  /**
   * @param map of the NameNode that is lied to
   * @param nobody the UUID of a DataNode that does not exist
   */
  ClaimedTransfers(SimulatedDataNode node, ModelBlockMap map, String nobody) {
    this.node = node;
    this.map = map;
    this.nobody = nobody;
  }

  ReportProto addTo(ReportProto report) {
    ReportProto.Builder claiming = report.toBuilder();
    for (ModelBlock block : map.blocks.values()) {
      if (map.needed.containsKey(block.id) && !block.replicas.contains(node.uuid)) {
        claiming.addRunning(RunningTransferProto.newBuilder().setAttempt(block.id)
            .setBlock(BlockSpecProto.newBuilder().setBlockId(block.id).setGenerationStamp(block.generationStamp)
                .setNumBytes(block.numBytes))
            .setSource(source(nobody)).setStorageType(block.storageType.name()).setDoneBytes(1)
            .setRateBytesPerSec(1).setAchievedBytesPerSec(1));
      }
    }
    for (ModelGroup group : map.groups.all.values()) {
      if (map.needed.containsKey(group.id) && !group.holders.containsKey(node.uuid)) {
        claim(group, claiming);
      }
    }
    return claiming.build();
  }

  private static void claim(ModelGroup group, ReportProto.Builder claiming) {
    group.indices().stream().filter(index -> !group.holders.containsValue(index)).findFirst().ifPresent(lost -> {
      List<SourceProto> sources = group.holders.entrySet().stream().limit(group.width())
          .map(holder -> source(holder.getKey()).setIndex(holder.getValue()).build()).toList();
      if (!sources.isEmpty()) {
        claiming.addRunning(RunningTransferProto.newBuilder().setAttempt(group.id)
            .setBlock(BlockSpecProto.newBuilder().setBlockId(group.internalId(lost))
                .setGenerationStamp(group.generationStamp).setNumBytes(group.bytes(lost)))
            .setSource(sources.get(0)).addAllFurtherSources(sources.subList(1, sources.size()))
            .setGroup(GroupProto.newBuilder().setNumBytes(group.numBytes).setCodec(group.policy.codec())
                .setDataUnits(group.policy.dataUnits()).setParityUnits(group.policy.parityUnits())
                .setCellBytes(group.policy.cellBytes()))
            .setStorageType(ModelGroup.STORAGE_TYPE.name()).setDoneBytes(1).setRateBytesPerSec(1)
            .setAchievedBytesPerSec(1));
      }
    });
  }

  private static SourceProto.Builder source(String uuid) {
    return SourceProto.newBuilder().setDatanodeUuid(uuid).setIpAddress("10.0.0.99").setHostName("nowhere")
        .setTransferPort(9866);
  }
}
