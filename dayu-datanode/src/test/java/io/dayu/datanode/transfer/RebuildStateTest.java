/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.transfer.TransferState.Disconnect;
import io.dayu.datanode.transfer.TransferState.Receive;
import io.dayu.datanode.transfer.TransferState.Stop;
import io.dayu.datanode.transfer.TransferState.Wait;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.GroupProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What a transfer with several sources does next. Sources are named by a node and the index that it has. */
class RebuildStateTest {
  private static SourceProto source(String name) {
    return SourceProto.newBuilder().setDatanodeUuid(name).setIpAddress("10.0.0.1").setHostName(name)
        .setTransferPort(9866).setIndex(Integer.parseInt(name.substring(1))).build();
  }

  /** The first three are sources, the others alternates. */
  private static GrantProto grant(String... names) {
    GrantProto.Builder grant = GrantProto.newBuilder().setAttempt(1).setStorageType("DISK").setRateBytesPerSec(1 << 20)
        .setLeaseMs(30_000).setSource(source(names[0]))
        .setBlock(BlockSpecProto.newBuilder().setBlockId(-16).setGenerationStamp(1).setNumBytes(1))
        .setGroup(GroupProto.newBuilder().setNumBytes(3).setCodec("rs").setDataUnits(3).setParityUnits(2)
            .setCellBytes(1));
    for (int i = 1; i < names.length; i++) {
      if (i < 3) {
        grant.addFurtherSources(source(names[i]));
      } else {
        grant.addAlternates(source(names[i]));
      }
    }
    return grant.build();
  }

  private static long at(double seconds) {
    return (long) (seconds * 1e9);
  }

  private static List<String> reads(TransferState state) {
    return state.sources().stream().map(place -> place.current().getDatanodeUuid()).toList();
  }

  private static boolean fail(TransferState state, int place, double seconds) {
    return state.sources().get(place).failed(state.sources().get(place).current(), "reset", false, at(seconds));
  }

  private static RunningTransferProto report(TransferState state) {
    RunningTransferProto.Builder report = RunningTransferProto.newBuilder();
    state.describe(report);
    return report.buildPartial();
  }

  @Test
  void grantInAnotherOrder_changesNothing() {
    TransferState state = new TransferState(grant("a1", "b2", "c3"), at(0));
    SourceProto first = state.sources().get(0).current();
    state.update(grant("c3", "a1", "b2"), at(1));
    assertEquals(List.of("a1", "b2", "c3"), reads(state));
    assertFalse(state.sources().get(0).isPaused(first));
  }

  @Test
  void sourceThatAGrantNoLongerNames_isReplacedAlone() {
    TransferState state = new TransferState(grant("a1", "b2", "c3"), at(0));
    SourceProto left = state.sources().get(1).current();
    state.update(grant("d4", "c3", "a1"), at(1));
    assertEquals(List.of("a1", "d4", "c3"), reads(state));
    assertInstanceOf(Disconnect.class, state.sources().get(1).next(left, at(1)));
  }

  @Test
  void alternate_takesThePlaceOfTheOneThatFails_andStaysWhenTheNameNodeFollows() {
    TransferState state = new TransferState(grant("a1", "b2", "c3", "d4", "e0"), at(0));
    assertTrue(fail(state, 2, 1));
    assertEquals(List.of("a1", "b2", "d4"), reads(state));
    assertEquals("c3", report(state).getFailedSourceUuid());
    state.update(grant("a1", "b2", "c3", "d4", "e0"), at(2));
    assertEquals(List.of("a1", "b2", "d4"), reads(state), "the NameNode does not know of it yet");
    state.update(grant("d4", "a1", "b2", "e0"), at(3));
    assertEquals(List.of("a1", "b2", "d4"), reads(state));
    assertFalse(report(state).hasFailedSourceUuid());
  }

  @Test
  void alternateWithAnIndexInUse_isNotTaken() {
    TransferState state = new TransferState(grant("a1", "b2", "c3", "x2", "y1", "z4"), at(0));
    assertTrue(fail(state, 2, 1));
    assertEquals(List.of("a1", "b2", "z4"), reads(state));
    // Its own index is free.
    assertTrue(fail(state, 1, 1));
    assertEquals(List.of("a1", "x2", "z4"), reads(state));
    // The third place may go back to index 3, so nobody else may take it.
    assertTrue(fail(state, 2, 2));
    assertEquals(List.of("a1", "x2", "c3"), reads(state));
  }

  @Test
  void placeOnAnAlternate_goesBack_whenAGrantHasAnotherNodeOfThisIndex() {
    TransferState state = new TransferState(grant("a1", "b2", "c3", "d4"), at(0));
    assertTrue(fail(state, 0, 1));
    assertEquals(List.of("d4", "b2", "c3"), reads(state));
    state.update(grant("a1", "x4", "c3"), at(2));
    assertEquals(List.of("a1", "x4", "c3"), reads(state));
  }

  /** The NameNode replaces one that failed by what the agent has taken for another one that failed later. */
  @Test
  void sourceThatAnotherPlaceHasLeft_isNotAskedOnceMore() {
    TransferState state = new TransferState(grant("a1", "b2", "c3", "d4"), at(0));
    assertTrue(fail(state, 1, 1));
    assertTrue(fail(state, 0, 1));
    assertEquals(List.of("a1", "d4", "c3"), reads(state));
    state.update(grant("d4", "b2", "c3", "e1"), at(2));
    assertEquals(List.of("e1", "d4", "c3"), reads(state));
    assertEquals("b2", report(state).getFailedSourceUuid());
    // Without another alternate it waits, and the report says why.
    state = new TransferState(grant("a1", "b2", "c3", "d4"), at(0));
    assertTrue(fail(state, 1, 1));
    assertTrue(fail(state, 0, 1));
    state.update(grant("d4", "b2", "c3"), at(2));
    assertEquals(List.of("b2", "d4", "c3"), reads(state));
    assertInstanceOf(Wait.class, state.sources().get(0).next(at(2)));
    assertEquals("b2", report(state).getFailedSourceUuid());
  }

  @Test
  void sourceWithoutReplacement_isTriedAgain_andEndsTheTransferAfter15Seconds() {
    TransferState state = new TransferState(grant("a1", "b2", "c3"), at(0));
    assertTrue(fail(state, 1, 1));
    assertInstanceOf(Wait.class, state.sources().get(1).next(at(1)));
    assertInstanceOf(Receive.class, state.sources().get(0).next(at(1)));
    state.sources().get(0).delivered();
    Stop stop = assertInstanceOf(Stop.class, state.sources().get(1).next(at(16)));
    assertEquals(Outcome.SOURCE_FAILED, stop.outcome());
    assertEquals("b2", stop.sourceUuid());
  }

  @Test
  void secondFailure_isReportedWhenTheFirstIsReplaced() {
    TransferState state = new TransferState(grant("a1", "b2", "c3"), at(0));
    assertTrue(fail(state, 1, 1));
    assertTrue(fail(state, 2, 1));
    assertEquals("b2", report(state).getFailedSourceUuid());
    state.update(grant("a1", "d4", "c3"), at(2));
    assertEquals("c3", report(state).getFailedSourceUuid());
  }

  /** However grants and failures follow each other, no index is read twice, and grants are followed. */
  @Test
  void indices_areAlwaysDistinct() {
    long seed = ThreadLocalRandom.current().nextInt(1_000_000);
    Random random = new Random(seed);
    String[] nodes = {"a0", "b0", "c1", "d1", "e2", "f3", "g3", "h4"};
    for (int run = 0; run < 2_000; run++) {
      TransferState state = new TransferState(grant(draw(nodes, random)), at(0));
      for (int step = 1; step < 20; step++) {
        if (random.nextInt(3) == 0) {
          String[] names = draw(nodes, random);
          state.update(grant(names), at(step * 0.1));
          assertTrue(state.sources().stream().filter(place -> !List.of(names[0], names[1], names[2])
              .contains(place.current().getDatanodeUuid())).count() <= 3);
        } else {
          fail(state, random.nextInt(3), step * 0.1);
        }
        List<Integer> indices = state.sources().stream().map(place -> place.current().getIndex()).toList();
        assertEquals(3, new HashSet<>(indices).size(), "seed " + seed + " run " + run + ": " + reads(state));
      }
    }
  }

  /** Three nodes of different indices, then all others. */
  private static String[] draw(String[] nodes, Random random) {
    List<String> order = new ArrayList<>(List.of(nodes));
    Collections.shuffle(order, random);
    List<String> names = new ArrayList<>();
    for (String name : order) {
      if (names.size() < 3 && names.stream().noneMatch(other -> other.charAt(1) == name.charAt(1))) {
        names.add(name);
      }
    }
    order.removeAll(names);
    names.addAll(order);
    return names.toArray(new String[0]);
  }
}
