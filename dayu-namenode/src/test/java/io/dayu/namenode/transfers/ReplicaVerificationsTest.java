/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.namenode.exchange.VerifiedReplica;
import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which replicas an agent is to read as a whole, and what it has found. */
class ReplicaVerificationsTest {
  private static final int MAX_REPLICAS = 100;

  private final ReplicaVerifications verifications = new ReplicaVerifications();

  private static BlockKey block(long id) {
    return new BlockKey(id, 1);
  }

  private Map<BlockKey, Long> named() {
    Map<BlockKey, Long> named = new HashMap<>();
    verifications.forEach(named::put);
    return named;
  }

  @Test
  void replica_isNamedOnce_withItsLength_untilItIsRemoved() {
    assertTrue(verifications.add(block(1), 10));
    assertFalse(verifications.add(block(1), 10), "the agent was told");
    assertTrue(verifications.add(block(2), 20));
    assertEquals(Map.of(block(1), 10L, block(2), 20L), named());
    assertTrue(verifications.remove(block(1)));
    assertFalse(verifications.remove(block(1)), "the agent was told");
    assertEquals(Map.of(block(2), 20L), named());
    verifications.clear();
    assertEquals(Map.of(), named());
  }

  @Test
  void result_isThatOfTheLastReport_whileTheReplicaIsNamed() {
    verifications.add(block(1), 10);
    verifications.reported(List.of(new VerifiedReplica(block(1), true), new VerifiedReplica(block(2), true)));
    assertEquals(true, verifications.result(block(1)));
    assertNull(verifications.result(block(2)), "nobody asked");
    verifications.reported(List.of(new VerifiedReplica(block(1), false)));
    assertEquals(false, verifications.result(block(1)));
    verifications.remove(block(1));
    verifications.add(block(1), 10);
    assertNull(verifications.result(block(1)), "it is to be read anew");
    verifications.reported(List.of(new VerifiedReplica(block(1), true)));
    verifications.clear();
    assertNull(verifications.result(block(1)));
  }

  @Test
  void replicas_areBounded() {
    for (int id = 0; id < MAX_REPLICAS; id++) {
      assertTrue(verifications.add(block(id), 1));
    }
    assertFalse(verifications.add(block(MAX_REPLICAS), 1));
    verifications.remove(block(0));
    assertTrue(verifications.add(block(MAX_REPLICAS), 1));
    assertEquals(MAX_REPLICAS, named().size());
  }
}
