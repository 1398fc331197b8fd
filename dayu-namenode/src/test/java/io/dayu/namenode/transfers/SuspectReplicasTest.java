/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which replicas an agent is to check, until it has obeyed commands that name them. */
class SuspectReplicasTest {
  private static final int MAX_SUSPECTS = 500;

  private final SuspectReplicas suspects = new SuspectReplicas();

  private static BlockKey block(long id) {
    return new BlockKey(id, 1);
  }

  private Map<BlockKey, Long> named() {
    Map<BlockKey, Long> named = new HashMap<>();
    suspects.forEach(named::put);
    return named;
  }

  @Test
  void suspect_isNamed_untilTheAgentHasObeyedTheCommandsThatNameIt() {
    assertTrue(suspects.add(block(1), 10, 7));
    assertTrue(suspects.add(block(2), 20, 8));
    assertFalse(suspects.add(block(1), 10, 9), "it is named already");
    assertFalse(suspects.checked(6));
    assertEquals(Map.of(block(1), 10L, block(2), 20L), named());
    assertTrue(suspects.checked(7));
    assertEquals(Map.of(block(2), 20L), named());
    assertTrue(suspects.checked(9));
    assertFalse(suspects.checked(9));
    assertTrue(suspects.add(block(1), 10, 10), "it has failed again");
    suspects.clear();
    assertEquals(Map.of(), named());
  }

  @Test
  void suspects_areBounded() {
    for (int id = 0; id < MAX_SUSPECTS; id++) {
      assertTrue(suspects.add(block(id), 1, id));
    }
    assertFalse(suspects.add(block(MAX_SUSPECTS), 1, 0));
    assertTrue(suspects.checked(0));
    assertTrue(suspects.add(block(MAX_SUSPECTS), 1, 0));
    assertEquals(MAX_SUSPECTS, named().size());
  }
}
