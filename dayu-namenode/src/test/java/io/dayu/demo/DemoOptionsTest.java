/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.demo;

import io.dayu.demo.DemoOptions.BadOptionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class DemoOptionsTest {
  @Test
  void read_takesDefaultsForMissingAndEmptyProperties() throws BadOptionException {
    DemoOptions options = DemoOptions.read(Map.of("demo.nodes", "", "demo.data", " ")::get);
    assertEquals(new DemoOptions(9, 3, 3, 512 << 20, 4 << 20, 2 << 20, 1, Optional.empty()), options);
  }

  @Test
  void read_takesEveryProperty() throws BadOptionException {
    Map<String, String> properties = Map.of("demo.nodes", "5", "demo.racks", "2", "demo.replication", "2", "demo.data", "1g",
        "demo.block", "512K", "demo.bandwidth", "100000", "demo.seed", "-7", "demo.json", "target/out.json");
    assertEquals(new DemoOptions(5, 2, 2, 1 << 30, 512 << 10, 100_000, -7, Optional.of(Path.of("target/out.json"))),
        DemoOptions.read(properties::get));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "demo.nodes|two|a whole number from 3 to 30",
      "demo.nodes|31|a whole number from 3 to 30",
      "demo.racks|10|a whole number from 1 to 9",
      "demo.replication|9|a whole number from 2 to 8",
      "demo.data|1m|bytes with an optional suffix k, m or g, from 37748736 to 68719476736, such as 512m",
      "demo.data|999999999999g|bytes with an optional suffix k, m or g, from 37748736 to 68719476736, such as 512m",
      "demo.block|1m5|bytes with an optional suffix k, m or g, from 65536 to 268435456, such as 4m",
      "demo.block|100001|a multiple of 512 bytes",
      "demo.bandwidth|0|bytes with an optional suffix k, m or g, from 65536 to 10737418240, such as 2m",
      "demo.seed|x|a whole number from -9223372036854775808 to 9223372036854775807",
      "demo.json|/no/such/directory/x.json|a file in a directory that exists and can be written to"})
  void read_namesPropertyValueAndWhatIsPossible(String property, String value, String expected) {
    BadOptionException error = assertThrows(BadOptionException.class, () -> DemoOptions.read(Map.of(property, value)::get));
    assertEquals("-D" + property + "=" + value + " is not possible: expected " + expected, error.getMessage());
  }
}
