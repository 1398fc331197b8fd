/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.scale;

import io.dayu.programs.options.BadOptionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ScaleOptionsTest {
  @Test
  void properties_areRead() throws Exception {
    ScaleOptions options = ScaleOptions.read(Map.of("scale.parts", "stock, dayu,dayu", "scale.blocks", "1000",
        "scale.conf", "dayu.recovery.max-utilization=0.6;dfs.namenode.lock.model.provider.class=x.Y", "other", "-"));
    assertEquals(List.of(ScaleOptions.Part.STOCK, ScaleOptions.Part.DAYU, ScaleOptions.Part.DAYU), options.parts());
    assertEquals(3_500, options.nodes());
    assertEquals(1_000, options.blocks());
    assertEquals("x.Y", options.conf().get("dfs.namenode.lock.model.provider.class"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "scale.blocks | 200000 | 240000",
      "scale.blocks | many | whole number",
      "scale.parts | stock,stok | pace-journal",
      "scale.conf | dayu.recovery.max-utilisation=1 | settings of Dayu",
      "scale.node | 10 | scale.nodes"})
  void badProperty_isNamedWithWhatWouldBeRight(String property, String value, String right) {
    String message = assertThrows(BadOptionException.class, () -> ScaleOptions.read(Map.of(property, value)))
        .getMessage();
    assertTrue(message.contains(property) && message.contains(right), message);
  }
}
