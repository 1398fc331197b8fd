/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.TransferRequest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;

/** {@link PendingRegistrations} of transfers 1 and 2 of one block, and of a transfer 1 of another one elsewhere. */
final class PendingRegistrationsTest {
  private static final TransferRequest TO_A = request(7, "a");
  private static final TransferRequest TO_B = request(7, "b");
  private static final TransferRequest OTHER_TO_C = request(8, "c");

  private final BlockManagement blocks = mock(BlockManagement.class);
  private final PendingRegistrations registrations = new PendingRegistrations(blocks);
  private final List<TransferRequest> unregistered = new ArrayList<>();
  private boolean fails;

  private static TransferRequest request(long blockId, String target) {
    return new TransferRequest(new BlockKey(blockId, 1), 100, 2, "source", target, 4);
  }

  @BeforeEach
  void register() {
    doAnswer(call -> {
      if (fails) {
        throw new IllegalStateException("test");
      }
      return unregistered.addAll(call.getArgument(0));
    }).when(blocks).unregister(anyList());
    registrations.enter(1, TO_A);
    registrations.enter(2, TO_B);
    registrations.enter(1, OTHER_TO_C);
  }

  @Test
  void transferThatEnds_isUnregistered_once_andAloneOfItsId() {
    assertEquals(3, registrations.size());
    assertEquals(2, registrations.blocks());
    registrations.end("a", 1);
    assertEquals(3, registrations.size(), "until it is unregistered");
    registrations.unregisterEnded();
    registrations.unregisterEnded();
    assertEquals(List.of(TO_A), unregistered);
    assertEquals(Set.of(TO_B, OTHER_TO_C), Set.copyOf(registrations.open()));
  }

  @Test
  void registrationThatHdfsHasEnded_isNotUnregistered() {
    registrations.forget("a", 1);
    registrations.end("a", 1);
    registrations.unregisterEnded();
    assertEquals(List.of(), unregistered);
    assertEquals(2, registrations.size());
  }

  @Test
  void whatCannotBeUnregistered_isTriedAgain() {
    registrations.end("a", 1);
    fails = true;
    assertThrows(IllegalStateException.class, registrations::unregisterEnded);
    assertEquals(3, registrations.size());
    fails = false;
    registrations.unregisterEnded();
    assertEquals(List.of(TO_A), unregistered);
  }

  @Test
  void whatTheWatchdogHasUnregistered_isNotUnregisteredByTheLoopAgain() {
    registrations.end("a", 1);
    registrations.unregisterAll();
    assertEquals(Set.of(TO_A, TO_B, OTHER_TO_C), Set.copyOf(unregistered));
    assertEquals(0, registrations.size());
    registrations.unregisterEnded();
    assertEquals(3, unregistered.size());
  }

  @Test
  void endsOfAnEarlierActivation_endNothingLater() {
    registrations.end("a", 1);
    registrations.clear();
    assertEquals(0, registrations.size());
    registrations.enter(1, TO_A);
    registrations.unregisterEnded();
    assertEquals(List.of(), unregistered);
  }
}
