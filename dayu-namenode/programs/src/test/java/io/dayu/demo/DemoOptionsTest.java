/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import io.dayu.programs.options.BadOptionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class DemoOptionsTest {
  private static final Path REPORT = Path.of("report.html");

  @Test
  void read_takesDefaultsForMissingAndEmptyProperties() throws BadOptionException {
    DemoOptions options = DemoOptions.read(Map.of("demo.nodes", "", "demo.data", " "), REPORT);
    assertEquals(new DemoOptions(12, 4, new DemoOptions.Data(3, 400 << 20, 384 << 10), 2 << 20, 0.3,
        new DemoOptions.Timeslots(1_000, 5_000), Map.of(),
        List.of(Mode.DAYU, Mode.STOCK_DEFAULT, Mode.STOCK_FAST), List.of(1L), Optional.empty(), REPORT), options);
  }

  @Test
  void read_takesEveryProperty() throws BadOptionException {
    Map<String, String> properties = Map.ofEntries(Map.entry("demo.nodes", "5"), Map.entry("demo.racks", "2"),
        Map.entry("demo.replication", "2"), Map.entry("demo.data", "1g"), Map.entry("demo.block", "512K"),
        Map.entry("demo.bandwidth", "300000"), Map.entry("demo.utilization", "0.3"),
        Map.entry("demo.timeslot", "1500ms"), Map.entry("demo.horizon", "15s"),
        Map.entry("demo.conf", "dfs.heartbeat.interval=4; dayu.datanode.volume.max-streams=DISK=2,OTHER=8;a.b="),
        Map.entry("demo.modes", "none, stock-fast, dayu"), Map.entry("demo.seed", "-7, 8"),
        Map.entry("demo.json", "target/out.json"), Map.entry("demo.report", "target/out.html"));
    assertEquals(Set.copyOf(DemoOptions.PROPERTIES), properties.keySet());
    assertEquals(new DemoOptions(5, 2, new DemoOptions.Data(2, 1 << 30, 512 << 10), 300_000, 0.3,
        new DemoOptions.Timeslots(1_500, 15_000),
        Map.of("dfs.heartbeat.interval", "4", "dayu.datanode.volume.max-streams", "DISK=2,OTHER=8", "a.b", ""),
        List.of(Mode.NONE, Mode.STOCK_FAST, Mode.DAYU), List.of(-7L, 8L),
        Optional.of(Path.of("target/out.json").toAbsolutePath()), Path.of("target/out.html").toAbsolutePath()),
        DemoOptions.read(properties, REPORT));
  }

  @Test
  void read_fitsRacksAndReplicationToFewNodes() throws BadOptionException {
    DemoOptions options = DemoOptions.read(Map.of("demo.nodes", "3"), REPORT);
    assertEquals(List.of(3, 2), List.of(options.racks(), options.data().replication()));
  }

  @Test
  void read_refusesAPropertyThatThereIsNot() {
    BadOptionException error = assertThrows(BadOptionException.class, () -> DemoOptions
        .read(Map.of("demo.seeds", "1,2", "demo.mode", "", "demo.seed", "1", "user.dir", "x"), REPORT));
    assertEquals("there is no property demo.mode, demo.seeds; there are demo.modes, demo.seed, demo.nodes, demo.racks, "
        + "demo.replication, demo.data, demo.block, demo.bandwidth, demo.utilization, demo.timeslot, demo.horizon, "
        + "demo.conf, demo.report, demo.json", error.getMessage());
  }

  @Test
  void read_namesTheOnlyNumberThatIsPossible() {
    BadOptionException error = assertThrows(BadOptionException.class,
        () -> DemoOptions.read(Map.of("demo.nodes", "3", "demo.replication", "3"), REPORT));
    assertEquals("-Ddemo.replication=3 is not possible: expected 2", error.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"dayu.timeslot.interval, demo.timeslot", "dayu.timeslot.horizon, demo.horizon"})
  void read_refusesASettingThatAPropertyMakes(String key, String property) {
    BadOptionException error = assertThrows(BadOptionException.class,
        () -> DemoOptions.read(Map.of("demo.conf", "a=1;" + key + "=2s", property, "3s"), REPORT));
    assertEquals("-Ddemo.conf must not set " + key + ": that is what -D" + property + " does", error.getMessage());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"demo.nodes|two|a whole number from 3 to 30",
      "demo.nodes|31|a whole number from 3 to 30", "demo.racks|13|a whole number from 1 to 12",
      "demo.replication|12|a whole number from 2 to 11",
      "demo.data|1m|bytes with an optional suffix k, m or g, from 4718592 to 68719476736, such as 400m",
      "demo.data|999999999999g|bytes with an optional suffix k, m or g, from 4718592 to 68719476736, such as 400m",
      "demo.block|1m5|bytes with an optional suffix k, m or g, from 65536 to 268435456, such as 384k",
      "demo.block|100001|a multiple of 512 bytes",
      "demo.bandwidth|0|bytes with an optional suffix k, m or g, from 262144 to 10737418240, such as 2m",
      "demo.utilization|0.8|a fraction above 0 and up to 0.7", "demo.utilization|NaN|a fraction above 0 and up to 0.7",
      "demo.timeslot|3|a time in ms, s or m, from 500ms to 5m",
      "demo.horizon|500ms|a time in ms, s or m, from 1s (demo.timeslot) to 10m",
      "demo.modes|dayu,stock|some of dayu, stock-default, stock-fast, none, with one comma between two of them",
      "demo.modes|dayu,|some of dayu, stock-default, stock-fast, none, with one comma between two of them",
      "demo.conf|dayu.scheduler.algorithm|KEY=VALUE or several of them, each with another key, separated by semicolons",
      "demo.conf|=false|KEY=VALUE or several of them, each with another key, separated by semicolons",
      "demo.conf|a b=1|KEY=VALUE or several of them, each with another key, separated by semicolons",
      "demo.conf|a=1;b|KEY=VALUE or several of them, each with another key, separated by semicolons",
      "demo.conf|a=1;|KEY=VALUE or several of them, each with another key, separated by semicolons",
      "demo.conf|a=1;a=2|KEY=VALUE or several of them, each with another key, separated by semicolons",
      "demo.conf|dayu.scheduler.tie-break=x|settings that Dayu can start with, but setting dayu.scheduler.tie-break = "
          + "'x' is not valid: expected one of none, space, latency, journal",
      "demo.conf|dayu.scheduler.order=snapshot|settings of Dayu; dayu.scheduler.order is none",
      "demo.seed|x|1 to 20 whole numbers of 64 bits, with one comma between two of them",
      "demo.seed|1,,2|1 to 20 whole numbers of 64 bits, with one comma between two of them",
      "demo.seed|1,2,|1 to 20 whole numbers of 64 bits, with one comma between two of them",
      "demo.json|/no/such/directory/x.json|a file in a directory that exists and can be written to"})
  void read_namesPropertyValueAndWhatIsPossible(String property, String value, String expected) {
    BadOptionException error = assertThrows(BadOptionException.class,
        () -> DemoOptions.read(Map.of(property, value), REPORT));
    assertEquals("-D" + property + "=" + value + " is not possible: expected " + expected, error.getMessage());
  }
}
