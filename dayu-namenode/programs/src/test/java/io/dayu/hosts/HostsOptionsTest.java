/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.DataGroups;
import io.dayu.hosts.client.Topology;
import io.dayu.programs.options.BadOptionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class HostsOptionsTest {
  private static final Path REPORT = Path.of("report.html");
  private static final Path JSON = Path.of("result.json");

  @Test
  void read_takesDefaultsForMissingAndEmptyProperties() throws BadOptionException {
    HostsOptions options = HostsOptions.read(Map.of("hosts.nodes", "", "hosts.rate", " "), JSON, REPORT);
    assertEquals(new Topology(8, 4), options.topology());
    assertEquals(3_125_000, options.links().rateBytesPerSec());
    assertEquals(List.of(RecoveryMode.NONE, RecoveryMode.DAYU, RecoveryMode.STOCK_DEFAULT), options.runs().modes());
    assertEquals(JSON, options.json());
  }

  @Test
  void read_takesSettingsWithCommasAndEqualsSigns() throws BadOptionException {
    HostsOptions options = HostsOptions.read(Map.of("hosts.conf",
        "dayu.datanode.volume.max-streams=DISK=24,OTHER=8;a.b=c"), JSON, REPORT);
    assertEquals(Map.of("dayu.datanode.volume.max-streams", "DISK=24,OTHER=8", "a.b", "c"), options.conf());
  }

  @Test
  void files_giveEachDataNodeItsShareOfTheReplicas() throws BadOptionException {
    HostsOptions options = HostsOptions.read(Map.of("hosts.data", "300m", "hosts.block", "2m", "hosts.nodes", "6"),
        JSON, REPORT);
    assertEquals(300, options.files());
  }

  @Test
  void read_makesTheShortFormSmall_andRefusesModesBesideIt() throws BadOptionException {
    HostsOptions options = HostsOptions.read(Map.of("hosts.short", "true"), JSON, REPORT);
    assertTrue(options.shortForm());
    assertEquals(new Topology(4, 2), options.topology());
    assertThrows(BadOptionException.class,
        () -> HostsOptions.read(Map.of("hosts.short", "true", "hosts.modes", "dayu"), JSON, REPORT));
  }

  @Test
  void read_takesAFault_withNoneWhereThereCanBeOne() throws BadOptionException {
    HostsOptions disk = HostsOptions.read(Map.of("hosts.fault", "disk"), JSON, REPORT);
    assertEquals(new HostLayout(new Topology(8, 4), 1, 2), disk.layout());
    assertTrue(disk.runs().modes().contains(RecoveryMode.NONE));
    HostsOptions failover = HostsOptions.read(Map.of("hosts.fault", "failover"), JSON, REPORT);
    assertEquals(new HostLayout(new Topology(8, 4), 2, 1), failover.layout());
    assertEquals(List.of(RecoveryMode.DAYU, RecoveryMode.STOCK_DEFAULT), failover.runs().modes());
  }

  @Test
  void read_takesATimeOfTheSecondStep_andThenHasNone() throws BadOptionException {
    HostsOptions options = HostsOptions.read(Map.of("hosts.fault", "second", "hosts.fault.after", "20s"), JSON, REPORT);
    assertEquals(Optional.of(Duration.ofSeconds(20)), options.secondStepAfter());
    assertTrue(options.runs().modes().contains(RecoveryMode.NONE));
    assertEquals(Optional.empty(),
        HostsOptions.read(Map.of("hosts.fault", "failover", "hosts.fault.after", "half"), JSON, REPORT)
            .secondStepAfter());
  }

  @Test
  void read_takesADeadlineAsAMultipleOfTheForecast_andThenRunsDayuAlone() throws BadOptionException {
    HostsOptions options =
        HostsOptions.read(Map.of("hosts.fault", "decommission", "hosts.deadline", "1.25"), JSON, REPORT);
    assertEquals(OptionalDouble.of(1.25), options.deadlineFactor());
    assertEquals(List.of(RecoveryMode.DAYU), options.runs().modes());
    assertEquals(List.of(RecoveryMode.NONE, RecoveryMode.DAYU), HostsOptions.read(Map.of("hosts.fault", "decommission",
        "hosts.deadline", "1", "hosts.modes", "none,dayu"), JSON, REPORT).runs().modes());
    assertEquals(OptionalDouble.empty(),
        HostsOptions.read(Map.of("hosts.fault", "decommission"), JSON, REPORT).deadlineFactor());
  }

  @ParameterizedTest
  @CsvSource({"kill,1,dayu", "decommission,0,dayu", "decommission,6,dayu", "decommission,10s,dayu",
      "decommission,1,'none,stock-default'"})
  void read_refusesADeadlineThatNobodyCanKeep(String fault, String factor, String modes) {
    BadOptionException error = assertThrows(BadOptionException.class, () -> HostsOptions.read(
        Map.of("hosts.fault", fault, "hosts.deadline", factor, "hosts.modes", modes), JSON, REPORT));
    assertTrue(error.getMessage().startsWith("-Dhosts.deadline=" + factor + " is not possible: expected "),
        error.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"limp,hosts.fault.after,soon", "kill,hosts.fault.after,20s", "failover,hosts.fault.after,20s",
      "second,hosts.modes,'none,dayu'", "second,hosts.nodes,4", "disk,hosts.short,true"})
  void read_refusesWhatDoesNotFitTheFault(String fault, String property, String value) {
    BadOptionException error = assertThrows(BadOptionException.class,
        () -> HostsOptions.read(Map.of("hosts.fault", fault, property, value), JSON, REPORT));
    assertTrue(error.getMessage().startsWith("-D" + property + "=" + value + " is not possible: expected "),
        error.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"rs-3-2,10", "RS-3-2-1024k,10", "rs-6-3,12", "xor-2-1,10", "rs-10-4,17", "rs-legacy-6-3,12"})
  void read_takesAPolicy_asTheSimulatorAndAsHdfsNameIt(String policy, int nodes) throws BadOptionException {
    HostsOptions options = HostsOptions.read(Map.of("hosts.ec", policy), JSON, REPORT);
    assertEquals(new Topology(nodes, 2), options.topology());
    assertTrue(options.runs().modes().contains(RecoveryMode.STOCK_STREAMS_20));
    DataGroups groups = options.groups();
    assertEquals(options.data().lostBytes(), (double) groups.internalBlocks() * options.data().blockBytes() / nodes,
        0.05 * options.data().lostBytes());
    assertEquals("dayu", HostsRun.settings(options, RecoveryMode.DAYU).get("dayu.recovery.erasure-coding"));
  }

  @Test
  void groups_areAShareOfTheData_andFilesAreTheRest() throws BadOptionException {
    HostsOptions options = HostsOptions.read(Map.of("hosts.ec", "rs-3-2", "hosts.ec.share", "0.5", "hosts.data",
        "240m"), JSON, REPORT);
    assertEquals(120, options.groups().count());
    assertEquals(200, options.files());
    assertEquals(DataGroups.NONE, HostsOptions.read(Map.of(), JSON, REPORT).groups());
  }

  @ParameterizedTest
  @CsvSource({"hosts.ec,rs-4-2", "hosts.ec,RS", "hosts.ec.share,0.5"})
  void read_refusesAnUnknownPolicy_andAShareOfNone(String property, String value) {
    BadOptionException error = assertThrows(BadOptionException.class,
        () -> HostsOptions.read(Map.of(property, value), JSON, REPORT));
    assertTrue(error.getMessage().startsWith("-D" + property + "=" + value + " is not possible: expected "),
        error.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"hosts.nodes,5", "hosts.block,512k", "hosts.ec.share,0", "hosts.short,true"})
  void read_refusesWhatDoesNotFitGroups(String property, String value) {
    assertThrows(BadOptionException.class,
        () -> HostsOptions.read(Map.of("hosts.ec", "rs-3-2", property, value), JSON, REPORT));
  }

  @ParameterizedTest
  @CsvSource({"hosts.fault,fire", "hosts.modes,fast", "hosts.rate,25", "hosts.rate,25mb", "hosts.rate,1kbit",
      "hosts.nodes,3",
      "hosts.queue,5", "hosts.block,1000k1", "hosts.hadoop,latest", "hosts.none.reuse,yes", "hosts.resume,1",
      "hosts.short,1",
      "hosts.namenode.jar,/no/such.jar", "hosts.datanode.odd.jar,pom.xml", "hosts.seeds,x", "hosts.utilization,0.9",
      "hosts.conf,a", "hosts.conf,dayu.recovery.max-utilization=5", "hosts.conf,dayu.recovery.max-utilizatio=0.5"})
  void read_refusesAnImpossibleValue_namingTheProperty(String property, String value) {
    BadOptionException error = assertThrows(BadOptionException.class,
        () -> HostsOptions.read(Map.of(property, value), JSON, REPORT));
    assertTrue(error.getMessage().startsWith("-D" + property + "=" + value + " is not possible: expected "),
        error.getMessage());
  }

  @Test
  void read_refusesOneFileForResultAndPage(@TempDir Path directory) {
    String file = directory.resolve("result").toString();
    BadOptionException error = assertThrows(BadOptionException.class,
        () -> HostsOptions.read(Map.of("hosts.json", file, "hosts.report", file), JSON, REPORT));
    assertEquals("-Dhosts.report=" + file + " is not possible: expected another file than hosts.json",
        error.getMessage());
  }

  @Test
  void read_refusesAJarOfTheOtherDaemon_andSettingsOfOtherJarsAreNotChecked(@TempDir Path directory) throws Exception {
    Path jar = directory.resolve("dayu.jar");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
      out.putNextEntry(new ZipEntry("io/dayu/datanode/DayuDataNodePlugin.class"));
    }
    BadOptionException error = assertThrows(BadOptionException.class,
        () -> HostsOptions.read(Map.of("hosts.namenode.jar", jar.toString()), JSON, REPORT));
    assertEquals("-Dhosts.namenode.jar=" + jar
        + " is not possible: expected a jar with the class io.dayu.namenode.DayuNameNodePlugin", error.getMessage());
    assertEquals(Optional.of(jar),
        HostsOptions.read(Map.of("hosts.datanode.jar", jar.toString(), "hosts.conf", "dayu.of.another.version=1"), JSON,
            REPORT).jars().dataNode());
  }

  @Test
  void read_refusesAnUnknownProperty_namingAllThatThereAre() {
    BadOptionException error = assertThrows(BadOptionException.class,
        () -> HostsOptions.read(Map.of("hosts.mode", "none"), JSON, REPORT));
    assertTrue(error.getMessage().startsWith("there is no property hosts.mode; there are hosts.short, hosts.fault, "),
        error.getMessage());
  }

  @Test
  void read_knowsHowPacketsQueue_andNamesOtherNetworks() throws BadOptionException {
    assertEquals(new LinkQueue(LinkQueue.Kind.FIFO, 5, 16_384, 0.08),
        HostsOptions.read(Map.of(), JSON, REPORT).links().queue());
    LinkQueue classes = HostsOptions.read(Map.of("hosts.network", "classes", "hosts.segment", "3k", "hosts.queue",
        "20ms", "hosts.network.share", "0.04"), JSON, REPORT).links().queue();
    assertEquals(new LinkQueue(LinkQueue.Kind.CLASSES, 20, 3_072, 0.04), classes);
    assertTrue(
        classes.commands("eth0", 25_000_000).stream().anyMatch(command -> command.contains("htb rate 1000000bit")),
        "4 % of 25 Mbit/s");
    assertEquals(classes.commands("eth0", 25_000_000).size() - 1, classes.changes("eth0", 1_000_000).size(),
        "an HTB cannot be replaced by itself");
    BadOptionException bad = assertThrows(BadOptionException.class,
        () -> HostsOptions.read(Map.of("hosts.network", "red"), JSON, REPORT));
    assertTrue(bad.getMessage().contains("one of fifo, classes"), bad.getMessage());
  }
}
