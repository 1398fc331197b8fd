/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.options;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class UnitsTest {

  @ParameterizedTest
  @CsvSource({"0,0", "17B,17", "64MB,64000000", "1.5k,1500", "128MiB,134217728", "2GiB,2147483648", "1T,1000000000000"})
  void bytes_areRead(String text, long bytes) {
    assertEquals(bytes, new ByteCount().convert(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "MB", "-1", "1iB", "1 MB", "64mb", "9999T", "250", "1.5", "00"})
  void badBytes_areRefused(String text) {
    assertThrows(TypeConversionException.class, () -> new ByteCount().convert(text));
  }

  @ParameterizedTest
  @CsvSource({"500ms,500", "15s,15000", "1.5s,1500", "10m,600000", "24h,86400000"})
  void times_areRead(String text, long millis) {
    assertEquals(millis, new TimeSpan.Converter().convert(text).millis());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "15", "s", "-1s", "1d"})
  void badTimes_areRefused(String text) {
    assertThrows(TypeConversionException.class, () -> new TimeSpan.Converter().convert(text));
  }

  @Test
  void progress_tellsTheTimeLeft() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ProgressLine line = new ProgressLine(new PrintStream(bytes, true, StandardCharsets.UTF_8), "work", 10, 0)) {
      line.done(1, 100_000_000);
      line.done(2, 4_000_000_000L);
      line.within(1, 0.9, 4_500_000_000L);
      line.within(3, 0.5, 8_000_000_000L);
    }
    String sixDone = "#".repeat(6) + ".".repeat(24);
    assertEquals("\rwork [" + sixDone + "] 2 of 10, 16 s left \rwork [" + "#".repeat(7) + ".".repeat(23)
        + "] 2 of 10, 24 s left " + System.lineSeparator(), bytes.toString(StandardCharsets.UTF_8));
  }
}
