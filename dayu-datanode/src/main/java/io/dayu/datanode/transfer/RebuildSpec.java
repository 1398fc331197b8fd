/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.GroupProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockIdManager;
import org.apache.hadoop.hdfs.util.StripedBlockUtil;
import org.apache.hadoop.io.erasurecode.CodecUtil;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which internal block of which erasure-coded group a transfer rebuilds, and by which code. Immutable. An index is the
 * place of an internal block in its group: data blocks come first, then parity blocks. A group that is shorter than a
 * stripe has fewer data blocks than its code; the others count as zeros.
 *
 * @param block the internal block to be made
 * @param groupBytes length of the group's data, without parity
 */
record RebuildSpec(ExtendedBlock block, long groupBytes, String codec, int dataUnits, int parityUnits, int cellBytes) {
  /** HDFS has four bits for the index. */
  static final int MAX_UNITS = 16;

  /**
   * What a grant with a group asks for.
   *
   * @throws IllegalArgumentException if that cannot be done here; the message says why, and what to do
   */
  static RebuildSpec of(ExtendedBlock block, GrantProto grant) {
    GroupProto group = grant.getGroup();
    RebuildSpec spec = new RebuildSpec(block, group.getNumBytes(), group.getCodec(), group.getDataUnits(),
        group.getParityUnits(), group.getCellBytes());
    spec.check();
    spec.checkSources(grant);
    return spec;
  }

  int index() {
    return BlockIdManager.getBlockIndex(block.getLocalBlock());
  }

  /** How many data blocks the group really has: from as many internal blocks any other can be rebuilt. */
  int realDataUnits() {
    return (int) Math.min(dataUnits, (groupBytes - 1) / cellBytes + 1);
  }

  private boolean exists(int index) {
    return index >= 0 && index < dataUnits + parityUnits && (index < realDataUnits() || index >= dataUnits);
  }

  /** An internal block of the group, with its length. */
  ExtendedBlock internalBlock(int index) {
    return new ExtendedBlock(block.getBlockPoolId(), block.getBlockId() - index() + index,
        StripedBlockUtil.getInternalBlockLength(groupBytes, cellBytes, dataUnits, index), block.getGenerationStamp());
  }

  /** The group and the index, for people. */
  @Override
  public String toString() {
    return "index " + index() + " of the group blk_" + (block.getBlockId() - index()) + "_"
        + block.getGenerationStamp() + " (" + codec + "-" + dataUnits + "-" + parityUnits + ")";
  }

  /** @param problem what is missing, and what to do */
  IllegalArgumentException refusal(String problem) {
    return new IllegalArgumentException("cannot rebuild " + this + ": " + problem);
  }

  private void check() {
    if (dataUnits < 1 || parityUnits < 1 || dataUnits + parityUnits > MAX_UNITS || cellBytes < 1 || groupBytes < 1
        || !BlockIdManager.isStripedBlockID(block.getBlockId()) || !exists(index())
        || internalBlock(index()).getNumBytes() != block.getNumBytes()) {
      throw refusal("the grant's numbers do not fit each other: " + groupBytes + " bytes in cells of " + cellBytes
          + ", of which this internal block has " + block.getNumBytes()
          + "; check that NameNode and DataNode have the same version of Dayu");
    }
    if (!CodecUtil.hasCodec(codec)) {
      throw refusal("this DataNode has no codec of this name; add its jar to the DataNode's class path");
    }
  }

  /**
   * Checks that a grant names as many sources as the group has real data blocks, each with an index of its own.
   *
   * @throws IllegalArgumentException if it does not
   */
  void checkSources(GrantProto grant) {
    List<SourceProto> sources = TransferState.sources(grant);
    if (!grant.hasGroup() || sources.size() < realDataUnits()) {
      throw refusal("the grant names " + sources.size() + " sources, and it takes " + realDataUnits()
          + "; it can be rebuilt when more DataNodes with internal blocks of the group are back");
    }
    Set<Integer> indices = new HashSet<>();
    for (SourceProto source : sources) {
      checkIndex(source);
      if (!indices.add(source.getIndex())) {
        throw refusal("the grant names two sources with index " + source.getIndex()
            + "; check that NameNode and DataNode have the same version of Dayu");
      }
    }
    if (sources.size() > realDataUnits()) {
      throw refusal("the grant names " + sources.size() + " sources, and it takes " + realDataUnits()
          + " only; check that NameNode and DataNode have the same version of Dayu");
    }
    grant.getAlternatesList().forEach(this::checkIndex);
  }

  private void checkIndex(SourceProto source) {
    if (!source.hasIndex() || !exists(source.getIndex()) || source.getIndex() == index()) {
      throw refusal("the grant names a source (" + source.getHostName() + ") "
          + (source.hasIndex() ? "with index " + source.getIndex() : "without an index")
          + "; check that NameNode and DataNode have the same version of Dayu");
    }
  }
}
