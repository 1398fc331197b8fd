/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.LongStream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** How many rebuilds a {@link TransferRegistry} runs at once, beside copies and at the highest risk. */
class RebuildPlacesTest extends TransferRegistryFixture {
  @Test
  void transferThatWaitsForMemory_isNotPassedBySmallerOnesThatNeedSome() {
    withoutMemory.add(1L);
    rebuilds.addAll(List.of(1L, 2L));
    apply(1, 2, 3);
    assertEquals(List.of(3L), startedAttempts);
    withoutMemory.clear();
    end(3);
    assertEquals(List.of(3L, 1L, 2L), startedAttempts);
  }

  @Test
  void threeRebuildsAtHighestRiskRun_whenAllAreGrantedAtOnce() {
    linkHasRoom = true;
    apply(1, 2, 3, 4, 5, 6);
    for (int i = 0; i < 4; i++) {
      tick(200);
    }
    LongStream.rangeClosed(1, 6).forEach(this::end);
    startedAttempts.clear();
    List<Long> all = List.of(11L, 12L, 13L, 14L, 15L);
    rebuilds.addAll(all);
    atHighestRisk.addAll(all);
    apply(11, 12, 13, 14, 15);
    assertEquals(List.of(11L, 12L, 13L), startedAttempts);
  }

  @Test
  void threeRebuildsRun_andCopiesGoOn() {
    linkHasRoom = true;
    rebuilds.addAll(List.of(1L, 2L, 3L, 4L, 6L));
    apply(1, 2, 3, 4, 5, 6);
    for (int i = 0; i < 4; i++) {
      tick(200);
    }
    assertEquals(List.of(1L, 2L, 3L, 5L), startedAttempts);
    end(2);
    assertEquals(List.of(1L, 2L, 3L, 5L, 4L), startedAttempts);
  }

  /** A plan may stop a rebuild for a minute; others must not wait for it, those at the highest risk least of all. */
  @Test
  void rebuildThatAPlanHasStopped_takesNoPlace() {
    linkHasRoom = true;
    rebuilds.addAll(List.of(1L, 2L, 3L, 4L, 5L));
    apply(1, 2, 3, 4, 5);
    tick(200);
    assertEquals(List.of(1L, 2L, 3L), startedAttempts);
    paused.add(2L);
    tick(200);
    tick(200);
    assertEquals(List.of(1L, 2L, 3L, 4L), startedAttempts);
  }

  @Test
  void rebuildThatWaitsForADeadSource_takesNoPlace() {
    linkHasRoom = true;
    rebuilds.addAll(List.of(1L, 2L, 3L, 4L));
    apply(1, 2, 3, 4);
    tick(200);
    assertEquals(List.of(1L, 2L, 3L), startedAttempts);
    withoutSource.add(2L);
    tick(200);
    assertEquals(List.of(1L, 2L, 3L, 4L), startedAttempts);
  }

  /** Each waits for one slow source, and all go on when it has answered. */
  @Test
  void rebuildsThatWaitForASlowSource_areTwiceAsManyAsMayRun_atMost() {
    linkHasRoom = true;
    rebuilds.addAll(LongStream.rangeClosed(1, 9).boxed().toList());
    apply(1, 2, 3, 4, 5, 6, 7, 8, 9);
    for (int i = 0; i < 9; i++) {
      withoutSource.addAll(startedAttempts);
      tick(10);
    }
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L), startedAttempts);
    withoutSource.clear();
    tick(200);
    end(1);
    end(2);
    end(3);
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L), startedAttempts, "three go on");
    end(4);
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L), startedAttempts);
  }

  @Test
  void othersThatWaitForASlowSource_takeNoPlaceFromRebuildsAtTheHighestRiskThatDo() {
    linkHasRoom = true;
    rebuilds.addAll(LongStream.rangeClosed(1, 7).boxed().toList());
    apply(1, 2, 3);
    withoutSource.addAll(List.of(1L, 2L, 3L));
    tick(10);
    atHighestRisk.addAll(List.of(4L, 5L, 6L, 7L));
    apply(1, 2, 3, 4, 5, 6, 7);
    for (int i = 0; i < 7; i++) {
      withoutSource.addAll(startedAttempts);
      tick(10);
    }
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L), startedAttempts);
  }

  @Test
  void rebuildsAtTheHighestRisk_doNotWaitForPlacesOfOthers_butForTheirOwn() {
    linkHasRoom = true;
    rebuilds.addAll(LongStream.rangeClosed(1, 9).boxed().toList());
    atHighestRisk.addAll(List.of(5L, 6L, 7L, 8L));
    apply(1, 2, 3);
    tick(200);
    apply(5, 6, 7, 8, 1, 2, 3, 9);
    for (int i = 0; i < 4; i++) {
      tick(200);
    }
    assertEquals(List.of(1L, 2L, 3L, 5L, 6L, 7L), startedAttempts);
    end(1);
    end(2);
    end(3);
    end(6);
    assertEquals(List.of(1L, 2L, 3L, 5L, 6L, 7L, 8L), startedAttempts, "the others' bound counts them");
  }
}
