/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.namenode.exchange.GroupSpec;
import io.dayu.namenode.exchange.RunningTransfer;
import io.dayu.namenode.exchange.SourceAddress;
import org.apache.hadoop.fs.StorageType;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Says what is to be registered for a transfer that an agent runs and this NameNode has not granted. No state. */
public final class AdoptedTransfers {
  private AdoptedTransfers() {
  }

  /** Whether the transfer reads what it needs: a rebuild one node for each of as many internal blocks. */
  public static boolean isComplete(RunningTransfer running) {
    if (running.rebuild() == null) {
      return true;
    }
    Set<Integer> indices = new HashSet<>();
    Set<String> nodes = new HashSet<>();
    indices.add(GroupTransfer.indexOf(running.block().blockId()));
    List<SourceAddress> sources = running.sources();
    for (SourceAddress source : sources) {
      if (source.index() < 0 || !indices.add(source.index()) || !nodes.add(source.uuid())) {
        return false;
      }
    }
    GroupSpec group = running.rebuild().group();
    return isGroup(running) && sources.size() <= group.policy().dataUnits() && group.policy().cellBytes() > 0;
  }

  /** The block, or the group, of which a DataNode makes a replica or an internal block. */
  public static BlockKey key(RunningTransfer running) {
    return isGroup(running)
        ? new BlockKey(GroupTransfer.groupId(running.block().blockId()), running.block().generationStamp())
        : running.block();
  }

  /** HDFS numbers groups below 0, as it once did some blocks: an index says that it is an internal block. */
  private static boolean isGroup(RunningTransfer running) {
    return running.block().blockId() < 0 && (running.rebuild() != null || running.source().index() >= 0);
  }

  /** What the NameNode is to register. */
  public static TransferRequest request(String target, RunningTransfer running) {
    return new TransferRequest(key(running), running.numBytes(), 0, running.source().uuid(), target,
        1 << StorageType.valueOf(running.storageType()).ordinal(), isGroup(running) ? group(running) : null);
  }

  private static GroupTransfer group(RunningTransfer running) {
    int index = GroupTransfer.indexOf(running.block().blockId());
    if (running.rebuild() == null) {
      return new GroupTransfer(null, 0, index, List.of(new IndexedNode(running.source().uuid(), index)));
    }
    GroupSpec group = running.rebuild().group();
    return new GroupTransfer(group.policy(), group.numBytes(), index,
        running.sources().stream().map(source -> new IndexedNode(source.uuid(), source.index())).toList());
  }
}
