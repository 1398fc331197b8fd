/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Names of erasure coding policies. */
class ErasureCodeTest {
  @Test
  void names_areTakenAsHdfsHasThem() {
    assertEquals(new ErasureCode(6, 3), ErasureCode.parse("rs-6-3"));
    assertEquals(new ErasureCode(6, 3), ErasureCode.parse("RS-6-3-1024k"));
    assertEquals(new ErasureCode(6, 3), ErasureCode.parse("RS-LEGACY-6-3-1024k"));
    assertEquals(new ErasureCode(2, 1), ErasureCode.parse("xor-2-1"));
    assertEquals(14, ErasureCode.parse("rs-10-4").units());
  }

  @Test
  void otherNames_areRefusedWithWhatIsExpected() {
    for (String name : new String[] {"", "rs", "lrc-6-2-2", "rs-6", "rs-0-3", "rs-6-0", "rs-1-1", "rs-600-3"}) {
      String message = assertThrows(IllegalArgumentException.class, () -> ErasureCode.parse(name)).getMessage();
      assertTrue(message.startsWith(name + ", expected "), message);
    }
  }
}
