/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import io.dayu.admin.AdminException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Blocks as admins name them. */
class BlockNameTest {
  @Test
  void name_isReadInEachForm() throws Exception {
    assertEquals(new BlockName(1073741825, 1001L), BlockName.parse("blk_1073741825_1001"));
    assertEquals(new BlockName(-92, null), BlockName.parse("blk_-92"));
    assertEquals(new BlockName(7, null), BlockName.parse("7"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "blk_", "blk_7_", "blk_7_x", "blk_7_1_2", "nonsense", "9999999999999999999"})
  void otherText_isRefused(String text) {
    assertEquals("'" + text + "' is no block; expected blk_<number>, as hdfs fsck prints it, or the path of a file",
        assertThrows(AdminException.class, () -> BlockName.parse(text)).getMessage());
  }

  @Test
  void otherGenerationStamp_isRefused() throws Exception {
    BlockName.parse("blk_7").checkIs("blk_7_1001");
    BlockName.parse("blk_7_1001").checkIs("blk_7_1001");
    assertEquals("this NameNode has no block blk_7_9999; with another generation stamp it has blk_7_1001",
        assertThrows(AdminException.class, () -> BlockName.parse("blk_7_9999").checkIs("blk_7_1001")).getMessage());
  }
}
