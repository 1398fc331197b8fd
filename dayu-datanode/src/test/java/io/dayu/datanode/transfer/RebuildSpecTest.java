/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.GroupProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Grants that cannot be what the NameNode means are refused, in one line that says what to do. */
class RebuildSpecTest {
  private static final long GROUP = -1_600;
  private static final int CELL = 1_000;

  private static SourceProto source(int index) {
    return SourceProto.newBuilder().setDatanodeUuid("dn" + index).setIpAddress("10.0.0.1").setHostName("host" + index)
        .setTransferPort(9866).setIndex(index).build();
  }

  /** Index 1 of a group of two stripes less a cell and a half, from the others but index 4. */
  private static GrantProto.Builder sound() {
    return GrantProto.newBuilder().setAttempt(1).setStorageType("DISK").setRateBytesPerSec(1).setLeaseMs(1)
        .setBlock(BlockSpecProto.newBuilder().setBlockId(GROUP + 1).setGenerationStamp(7).setNumBytes(1_500))
        .setGroup(GroupProto.newBuilder().setNumBytes(4_500).setCodec("rs").setDataUnits(3).setParityUnits(2)
            .setCellBytes(CELL))
        .setSource(source(0)).addFurtherSources(source(2)).addFurtherSources(source(3));
  }

  private static RebuildSpec read(GrantProto.Builder grant) {
    BlockSpecProto block = grant.getBlock();
    return RebuildSpec.of(
        new ExtendedBlock("BP-1", block.getBlockId(), block.getNumBytes(), block.getGenerationStamp()), grant.build());
  }

  private static void assertRefused(String why, GrantProto.Builder grant) {
    String message = assertThrows(IllegalArgumentException.class, () -> read(grant)).getMessage();
    assertTrue(message.startsWith("cannot rebuild index ") && message.contains("blk_-1600_7")
        && message.contains(why) && message.contains("; ") && !message.contains("\n"), message);
  }

  private static GrantProto.Builder group(GroupProto.Builder group) {
    return sound().setGroup(group);
  }

  private static GroupProto.Builder soundGroup() {
    return sound().getGroup().toBuilder();
  }

  @Test
  void internalBlocks_haveTheirIdsAndLengths() {
    RebuildSpec spec = read(sound());
    assertEquals(1, spec.index());
    assertEquals(3, spec.realDataUnits());
    assertEquals(new ExtendedBlock("BP-1", GROUP, 2_000, 7), spec.internalBlock(0));
    assertEquals(2_000, spec.internalBlock(0).getNumBytes());
    assertEquals(1_500, spec.internalBlock(1).getNumBytes());
    assertEquals(1_000, spec.internalBlock(2).getNumBytes());
    assertEquals(2_000, spec.internalBlock(4).getNumBytes());
  }

  /** Else the NameNode would plan rebuilds that this DataNode refuses each time. */
  @Test
  void leastMemoryThatCanBeSet_isEnoughForTheWidestGroup() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(Setting.REBUILD_MEMORY.key(), "5m");
    int units = RebuildSpec.MAX_UNITS - 1;
    RebuildSpec widest = new RebuildSpec(new ExtendedBlock("BP-1", GROUP, CELL, 7), (long) units * CELL, "rs", units, 1,
        CELL);
    assertTrue(RebuiltBlock.memoryBytes(widest) <= Settings.read(conf).bytes(Setting.REBUILD_MEMORY));
    conf.set(Setting.REBUILD_MEMORY.key(), "4m");
    assertThrows(BadSettingException.class, () -> Settings.read(conf));
  }

  @Test
  void groupShorterThanAStripe_needsFewerSources() {
    GrantProto.Builder grant = sound().setGroup(soundGroup().setNumBytes(1_200)).clearFurtherSources()
        .addFurtherSources(source(4))
        .setBlock(sound().getBlock().toBuilder().setNumBytes(200));
    assertEquals(2, read(grant).realDataUnits());
    assertRefused("with index 2", grant.clone().clearFurtherSources().addFurtherSources(source(2)));
  }

  @Test
  void tooFewSources_areRefused() {
    assertRefused("names 2 sources, and it takes 3", sound().removeFurtherSources(0));
  }

  @Test
  void indicesThatContradictEachOther_areRefused() {
    assertRefused("two sources with index 2", sound().setFurtherSources(1, source(2)));
    assertRefused("with index 1", sound().setFurtherSources(1, source(1)));
    assertRefused("with index 5", sound().addAlternates(source(5)));
    assertRefused("without an index", sound().setSource(source(0).toBuilder().clearIndex()));
    assertRefused("takes 3 only", sound().addFurtherSources(source(4)));
  }

  @Test
  void numbersThatContradictEachOther_areRefused() {
    assertRefused("do not fit", group(soundGroup().setNumBytes(4_501)));
    assertRefused("do not fit", group(soundGroup().setNumBytes(0)));
    assertRefused("do not fit", group(soundGroup().setCellBytes(0)));
    assertRefused("do not fit", group(soundGroup().setDataUnits(0)));
    assertRefused("do not fit", group(soundGroup().setDataUnits(15)));
    assertRefused("do not fit", group(soundGroup().setParityUnits(0)));
  }

  @Test
  void unknownCodec_isRefused() {
    assertRefused("no codec of this name", group(soundGroup().setCodec("unknown")));
  }
}
