/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

class BlockKeyTest {
  @Test
  void keys_areEqualByTheirName_whateverIsKnownOfTheBlock() {
    BlockKey known = new BlockKey(1, 2, "stored");
    assertEquals(new BlockKey(1, 2), known);
    assertEquals(new BlockKey(1, 2).hashCode(), known.hashCode());
    assertEquals("blk_1_2", known.toString());
    assertNotEquals(new BlockKey(1, 3, "stored"), known);
    assertNotEquals(new BlockKey(2, 2, "stored"), known);
  }

  @Test
  void name_isTheKeyWithoutTheStoredBlock() {
    BlockKey read = new BlockKey(1, 2, "stored");
    BlockKey known = read.name();
    assertEquals(read, known);
    assertNull(known.stored());
    assertSame(known, known.name());
  }
}
