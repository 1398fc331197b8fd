/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code trace import} of files in the shapes that people have them. */
class TraceImportCommandTest extends CommandFixture {
  private static final String SAR =
      "# hostname;interval;timestamp;IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s;rxcmp/s;txcmp/s;rxmcst/s;%ifutil\n";

  static String file(String name) {
    try {
      return Path.of(TraceImportCommandTest.class.getResource("/io/dayu/sim/cases/" + name).toURI()).toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private int importFrom(String options) {
    return run("trace import " + options + " --out " + folder.resolve("trace.csv"));
  }

  /** The rows of a trace without its comment and header. */
  private List<String> trace() throws IOException {
    List<String> lines = Files.readAllLines(folder.resolve("trace.csv"));
    assertTrue(lines.get(0).startsWith("# slot=") && lines.get(1).startsWith("node,dir,s0"), lines::toString);
    return lines.subList(2, lines.size());
  }

  private static String row(String node, String direction, String value, int slots) {
    return node + "," + direction + ("," + value).repeat(slots);
  }

  @Test
  void countersScrapedLessOftenThanRead_haveNoBursts() throws IOException {
    assertEquals(0, importFrom("--counters --prometheus-sent " + file("prometheus-scraped-each-60s-sent.json")
        + " --prometheus-received " + file("prometheus-scraped-each-60s-received.json")), err::toString);
    assertEquals(List.of(row("dn1", "tx", "2.00", 16), row("dn1", "rx", "2.00", 16)), trace());
    assertTrue(out.toString().contains("counters: 2 of 2 are read more often than they change, usually each 1m"),
        out::toString);
    assertTrue(out.toString().contains("measured: means of 1m, each the same for all of its slots of 15s"),
        out::toString);
  }

  /** The answer of Prometheus to a counter that is scraped at these times and read each 15 s. */
  private static String answer(int readings, int scrapeSec, int phaseSec, Traffic traffic) {
    return answer(readings, scrapeSec, phaseSec, traffic, 1_000_000_020);
  }

  private static String answer(int readings, int scrapeSec, int phaseSec, Traffic traffic, long fromSec) {
    StringBuilder values = new StringBuilder();
    for (int i = 0; i < readings; i++) {
      int scraped = Math.floorDiv(15 * i - phaseSec, scrapeSec) * scrapeSec + phaseSec;
      values.append(i == 0 ? "" : ",").append("[").append(fromSec + 15 * i).append(",\"")
          .append(traffic.bytesUntil(scraped)).append("\"]");
    }
    return "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{"
        + "\"metric\":{\"instance\":\"dn1:9100\"},"
        + "\"values\":[" + values + "]}]}}";
  }

  private interface Traffic {
    long bytesUntil(int sec);
  }

  @ParameterizedTest
  @CsvSource({"15, 0", "30, 7", "60, 7", "60, 0", "20, 3"})
  void steadyTraffic_isSteady_howeverOftenItIsScraped(int scrapeSec, int phaseSec) throws IOException {
    Path answer = write("a.json", answer(80, scrapeSec, phaseSec, sec -> 1_000_000_000L + 3_000_000L * sec));
    assertEquals(0, importFrom("--counters --prometheus-sent " + answer + " --prometheus-received " + answer),
        err::toString);
    for (String value : trace().get(0).split(",tx,")[1].split(",")) {
      assertEquals(3, Double.parseDouble(value), scrapeSec == 20 ? 1 : 0.01, trace()::toString);
    }
  }

  @Test
  void burstAfterAnIdleTime_isOfOneScrape_andIdleTimeIsIdle() throws IOException {
    Path answer =
        write("a.json", answer(120, 60, 0, sec -> 6_000_000L * (Math.min(sec, 600) + Math.max(0, sec - 1200))));
    assertEquals(0, importFrom("--counters --prometheus-sent " + answer + " --prometheus-received " + answer),
        err::toString);
    String[] values = trace().get(0).split(",tx,")[1].split(",");
    for (int slot = 0; slot < values.length; slot++) {
      assertEquals(slot < 40 || slot >= 80 ? 6 : 0, Double.parseDouble(values[slot]), 0.01, "slot " + slot);
    }
  }

  @Test
  void warningsOfPrometheus_arePrinted_andTold_byTheExitCode() throws IOException {
    assertEquals(1, importFrom("--prometheus-sent " + file("prometheus-warnings-sent.json") + " --prometheus-received "
        + file("prometheus-warnings-received.json")), err::toString);
    assertEquals(2, out.toString().lines()
        .filter(line -> line.endsWith("Prometheus warns: store at 10.0.0.9 timed out: partial response")).count());
    assertTrue(out.toString().contains("rates: each is taken for the mean since the one before"), out::toString);
    assertTrue(out.toString().contains("Prometheus says: PromQL info: metric might not be a counter"), out::toString);
    assertEquals(2, trace().size());
  }

  @Test
  void severalAnswers_ofALongTime_areOne_inAnyOrder() throws IOException {
    Path first = write("1.json", answer(60, 15, 0, sec -> 2_000_000L * sec));
    Path second = write("2.json", answer(60, 15, 0, sec -> 2_000_000L * (sec + 885), 1_000_000_905));
    String both = second + "," + first;
    assertEquals(0, importFrom("--counters --prometheus-sent " + both + " --prometheus-received " + both),
        err::toString);
    assertEquals(row("dn1", "tx", "2.00", 118), trace().get(0),
        "the last reading of the first is the first of the next");
    Files.writeString(second, Files.readString(second).replace("\"1770000000\"", "\"1\""));
    assertEquals(2, importFrom("--counters --prometheus-sent " + both + " --prometheus-received " + both));
    assertTrue(err.toString().contains("node dn1 (sent): two values at "), err::toString);
  }

  @Test
  void sarOfTheDayOfABoot_beginsWithARestart() throws IOException {
    assertEquals(0, importFrom("--slot 1s --sar " + file("sar-begins-with-restart.txt")), err::toString);
    assertEquals(List.of(row("vm", "tx", "0.00", 3), row("vm", "rx", "0.00", 3)), trace());
    assertTrue(out.toString().contains("skipped: 0 rows of other sections, 1 restarts and comments"), out::toString);
  }

  @Test
  void otherSectionsOfSar_areSkipped() throws IOException {
    assertEquals(2, importFrom("--sar " + file("sar-all-sections.txt")));
    assertTrue(err.toString().contains("line 1: no column IFACE in the header, expected the output of 'sadf -d"),
        err::toString);
    Path all = write("all.txt", Files.readString(Path.of(file("sar-all-sections.txt")))
        + "# hostname;interval;timestamp;IFACE;rxerr/s;txerr/s\nvm;1;2026-11-27 06:34:01 UTC;eth0;0.00;0.00\n"
        + SAR + "vm;1;2026-11-27 06:34:01 UTC;eth0;1;1;1000.00;2000.00;0;0;0;0\n"
        + "vm;-1;2026-11-27 06:34:02 UTC;COM disk was changed\n"
        + "# hostname;interval;timestamp;DEV;tps\nvm;1;2026-11-27 06:34:01 UTC;dev8-0;4.00\n");
    assertEquals(0, importFrom("--slot 1s --sar " + all), err::toString);
    assertEquals(List.of("vm,tx,2.05", "vm,rx,1.02"), trace());
    assertTrue(out.toString().contains("rows of other sections (CPU, DEV, IFACE), 1 restarts and comments"),
        out::toString);
  }

  @Test
  void localTimesOfSar_areOfTheZoneThatTheyName() throws IOException {
    String cet = file("sar-local-time-cet-dn1.txt");
    assertEquals(0, importFrom("--slot 10m --sar " + cet), err::toString);
    assertTrue(out.toString().startsWith("1 nodes, 12 slots of 600s from 2026-11-23T09:00:00Z"), out::toString);
    for (String zone : List.of("XYZ", "CST", "")) {
      err.getBuffer().setLength(0);
      Path file = write("zone.txt", Files.readString(Path.of(cet)).replace(" CET", zone.isEmpty() ? "" : " " + zone));
      assertEquals(2, importFrom("--slot 10m --sar " + file));
      assertTrue(err.toString().contains("zone.txt: line 2: ") && err.toString().contains("--zone"), err::toString);
      assertEquals(0, importFrom("--slot 10m --zone America/Chicago --sar " + file), err::toString);
      assertTrue(out.toString().contains("from 2026-11-23T16:00:00Z"), out::toString);
    }
  }

  @ParameterizedTest
  @CsvSource({"sar-10min.txt", "sar-local-time-cet-dn1.txt"})
  void meansLongerThanSlots_nameTheOption(String name) throws IOException {
    assertEquals(2, importFrom("--sar " + file(name)));
    assertTrue(err.toString().contains("means of 10m need --slot 10m"), err::toString);
    assertEquals(0, importFrom("--slot 10m --sar " + file(name)), err::toString);
  }

  @Test
  void interfaces_areSummed_andMayDifferByHost() throws IOException {
    assertEquals(0, importFrom("--slot 10m --device eth0+eth1 --sar " + file("sar-10min.txt")), err::toString);
    assertEquals(row("dn1", "tx", "6.14", 5), trace().get(0));
    assertTrue(out.toString().contains("interfaces: eth0+eth1 of dn1; left out bond0, lo, veth1a2b"), out::toString);
    Path two = write("two.txt", Files.readString(Path.of(file("sar-10min.txt")))
        + "dn2;600;2026-11-23 22:10:01 UTC;ens5;10.00;10.00;1000,00;2000,00;0.00;0.00;0.00;0.00\n");
    assertEquals(2, importFrom("--slot 10m --max-gap 5 --sar " + two));
    assertTrue(err.toString().contains("node dn2 has no interface eth0, it has ens5 (--device dn2=NAME"),
        err::toString);
    assertEquals(0, importFrom("--slot 10m --max-gap 5 --device eth0+eth1,dn2=ens5 --sar " + two), err::toString);
    assertEquals(row("dn2", "tx", "2.05", 5), trace().get(2), "sadf writes the decimal comma of its locale");
    assertTrue(out.toString().contains("filled: 8 of 20 values, from those beside them, of node dn2"), out::toString);
    assertEquals(0, importFrom("--slot 10m --leave-out dn2 --sar " + two), err::toString);
    assertTrue(out.toString().contains("left out: dn2") && trace().size() == 2, out::toString);
    assertEquals(2, importFrom("--slot 10m --leave-out dn2,dn3 --sar " + two));
    assertTrue(err.toString().contains("--leave-out = dn3: no such node"), err::toString);
  }

  @Test
  void jmxPoll_beforeTheBeanWasThere_isAGap() throws IOException {
    assertEquals(0, importFrom("--jmx " + file("jmx-while-starting.txt")), err::toString);
    assertEquals(List.of(row("dn1", "tx", "2.00", 5), row("dn1", "rx", "0.00", 5)), trace());
    assertTrue(out.toString().contains("0 polls without an answer, 1 answers of a DataNode that was starting: gaps"),
        out::toString);
  }

  @Test
  void counterThatFell_isARestart_ofAllCountersOfItsProcess() throws IOException {
    assertEquals(0, importFrom("--jmx " + file("jmx-restart-one-counter-fell.txt")), err::toString);
    assertEquals(List.of(row("dn1", "tx", "2.00", 5), row("dn1", "rx", "0.33", 5)), trace());
    assertTrue(out.toString().contains("2 values filled, 1 counters began anew"), out::toString);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "time,node,sent,received,unit~2026-11-23T10:00:15Z,dn1,2,1,MB/s~2026-11-23T10:00:30Z,dn1,2,1,MB/s|",
      "node;unit;received;sent;time~dn1;kB/s;1000,0;2000,0;1795428015~dn1;kB/s;1000;2000;1795428030|",
      "time,node,sent,received~\"2026-11-23 10:00:15\",\"dn1\",16,8~\"2026-11-23 10:00:30\",\"dn1\",16,8|--unit Mbps "
          + "--zone UTC",
      "time\tnode\tsent\treceived\tunit~1795428000000\tdn1\t5\t7\tB~1795428015000\tdn1\t30000005\t15000007\tB~"
          + "1795428030000\tdn1\t60000005\t30000007\tB|"})
  void longCsv_isTaken_asProgramsWriteIt(String text, String options) throws IOException {
    Path csv = write("long.csv", "# exported\n" + text.replace('~', '\n') + "\n");
    assertEquals(0, importFrom((options == null ? "" : options) + " --csv " + csv), err::toString);
    assertEquals(List.of("dn1,tx,2.00,2.00", "dn1,rx,1.00,1.00"), trace());
    assertTrue(out.toString().contains("from 2026-11-23T10:00:00Z"), out::toString);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"time,node,sent,received~1,a,1,1| line 1: no column unit in the header",
      "time,node,sent,received,unit~1,a,1,1,furlongs| line 2: expected a unit such as B/s",
      "time,node,sent,received,unit~2026-11-23 10:00:00,a,1,1,B/s| does not say of which zone it is (--zone",
      "time,node,sent,received,unit~1,a,1,B/s| line 2: 4 columns, expected 5",
      "time,node,sent,received,unit~1,a,-1,1,B/s| line 2: expected a number at least 0, found '-1'",
      "time,node,sent,received,unit~1,\"a,1,1,B/s| line 2: "})
  void longCsv_thatIsInDoubt_isRefused(String text, String message) throws IOException {
    assertEquals(2, importFrom("--csv " + write("long.csv", text.replace('~', '\n') + "\n")));
    assertTrue(err.toString().contains("long.csv") && err.toString().contains(message.trim()), err::toString);
  }
}
