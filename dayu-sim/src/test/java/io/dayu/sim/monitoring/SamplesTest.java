/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.monitoring;

import io.dayu.sim.FormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SamplesTest {
  private static final long ANY = Long.MAX_VALUE;

  @TempDir
  private Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private static String matrix(String values) {
    return "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\","
        + "\"result\":[{\"metric\":{\"instance\":\"dn1:9100\"},\"values\":[" + values + "]}]}}";
  }

  private TraceSlots prometheus(String sent, String received, double factor, boolean counters, int maxGap, long line)
      throws IOException {
    Samples samples = new Samples();
    PrometheusSamples.read(file("tx", matrix(sent)), "instance", factor, counters, true, samples);
    PrometheusSamples.read(file("rx", matrix(received)), "instance", factor, counters, false, samples);
    return TraceSlots.of(samples, 10, maxGap, line);
  }

  @Test
  void rates_areMeansOfTheTimeBeforeThem() throws IOException {
    TraceSlots slots =
        prometheus("[1010,\"1e6\"],[1020,\"3e6\"]", "[1010,\"0\"],[1020,\"8e6\"]", 1, false, 0, 8_000_000);
    assertEquals(1000, slots.startSec());
    assertArrayEquals(new float[] {1, 3}, slots.trace().out()[0]);
    assertArrayEquals(new float[] {0, 8}, slots.trace().in()[0]);
    assertEquals("dn1", slots.trace().nodes().get(0), "the exporter's port is left out");
    assertEquals(1,
        prometheus("[1010,\"8e6\"],[1020,\"8e6\"]", "[1010,\"0\"],[1020,\"0\"]", 0.125, false, 0, ANY).trace()
            .out()[0][0],
        "bits");
  }

  @Test
  void values_betweenSlots_areSplit() throws IOException {
    TraceSlots slots = prometheus("[1015,\"2e6\"],[1025,\"4e6\"],[1035,\"6e6\"]",
        "[1015,\"0\"],[1025,\"0\"],[1035,\"0\"]", 1, false, 0, ANY);
    assertArrayEquals(new float[] {2, 3, 5}, slots.trace().out()[0],
        "1000 to 1010 from its second half only, and 5 s are no slot");
  }

  @Test
  void counters_thatBeginAnew_leaveAGap() throws IOException {
    String falling = "[1000,\"0\"],[1010,\"10e6\"],[1020,\"5e6\"],[1030,\"35e6\"]";
    TraceSlots slots = prometheus(falling, falling, 1, true, 1, ANY);
    assertArrayEquals(new float[] {1, 2, 3}, slots.trace().out()[0]);
    assertEquals(2, slots.resets());
    assertEquals(2, slots.filled());
    assertTrue(assertThrows(FormatException.class, () -> prometheus(falling, falling, 1, true, 0, ANY))
        .getMessage().contains("node dn1 (sent): nothing is known from 1970-01-01T00:16:50Z to 1970-01-01T00:17:00Z"));
  }

  @Test
  void units_andSeries_areChecked() throws IOException {
    assertTrue(assertThrows(FormatException.class,
        () -> prometheus("[1010,\"9e6\"],[1020,\"1\"]", "[1010,\"0\"],[1020,\"0\"]", 1, false, 0, 8_000_000))
        .getMessage().contains("is the unit right?"));
    assertTrue(assertThrows(FormatException.class, () -> prometheus("[1010,\"x\"]", "", 1, false, 0, ANY))
        .getMessage().contains("expected a number at least 0, found 'x'"));
    Path wrong = file("wrong", "{\"status\":\"error\",\"error\":\"parse error\"}");
    assertTrue(assertThrows(FormatException.class,
        () -> PrometheusSamples.read(wrong, "instance", 1, false, true, new Samples())).getMessage()
        .contains("found the error parse error"));
    Path good = file("good", matrix("[1010,\"1\"],[1020,\"1\"]"));
    assertTrue(assertThrows(FormatException.class,
        () -> PrometheusSamples.read(good, "host", 1, false, true, new Samples())).getMessage()
        .contains("without the label host"));
    Samples halved = new Samples();
    PrometheusSamples.read(good, "instance", 1, false, true, halved);
    assertTrue(assertThrows(FormatException.class, () -> TraceSlots.of(halved, 10, 0, ANY)).getMessage()
        .contains("node dn1: expected"));
  }

  @Test
  void sar_isReadByTheNamesOfItsColumns() throws IOException {
    Samples samples = new Samples();
    String header =
        "# hostname;interval;timestamp;IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s;rxcmp/s;txcmp/s;rxmcst/s;%ifutil\n";
    SarSamples sar = sar(samples);
    sar.read(file("sar", header + "dn1;10;2026-11-23 10:00:10 UTC;lo;1;1;9;9;0;0;0;0\n"
        + "dn1;10;2026-11-23 10:00:10 UTC;eth0;1;1;1000;2000;0;0;0;0\ndn1;10;2026-11-23 10:00:20 "
        + "UTC;eth0;1;1;0;0;0;0;0;0\n"
        + header
        + "dn2;10;2026-11-23 10:00:10 UTC;eth0;1;1;0;0;0;0;0;0\ndn2;10;2026-11-23 10:00:20 "
        + "UTC;eth0;1;1;500;0;0;0;0;0\n"));
    Path again = file("again", header + "dn2;10;2026-11-23 10:00:20 UTC;eth0;1;1;3;3;0;0;0;0\n");
    assertTrue(assertThrows(FormatException.class, () -> sar.read(again)).getMessage()
        .contains("line 2: times of node dn2 are not in order at 2026-11-23T10:00:20Z, or another file has them"));
    sar.finish();
    TraceSlots slots = TraceSlots.of(samples, 10, 0, ANY);
    assertArrayEquals(new float[] {2.048f, 0}, slots.trace().out()[0]);
    assertArrayEquals(new float[] {1.024f, 0}, slots.trace().in()[0]);
    assertArrayEquals(new float[] {0, 0.512f}, slots.trace().in()[1]);
    Path other = file("other", header.replace("rxkB/s", "rxbyt/s"));
    SarSamples none = sar(new Samples());
    none.read(other);
    assertTrue(assertThrows(FormatException.class, none::finish).getMessage().contains("no column rxkB/s"));
  }

  private static SarSamples sar(Samples samples) {
    return new SarSamples(Map.of("", List.of("eth0")), new Times(null), samples);
  }

  @Test
  void jmx_isTheAgentsForeground_orWhatRemoteClientsDid() throws IOException {
    String agent =
        "{\"beans\":[{\"name\":\"Hadoop:service=DataNode,name=DayuAgent\",\"ForegroundInBytesPerSec\":2000000,"
            + "\"ForegroundOutBytesPerSec\":%d}]}\n";
    String datanode =
        "{\"beans\":[{\"name\":\"Hadoop:service=DataNode,name=DataNodeActivity-dn2-9866\",\"RemoteBytesRead\":%d,"
            + "\"RemoteBytesWritten\":0}]}\n";
    Samples samples = new Samples();
    JmxSamples.read(file("jmx",
        "1000 dn1:9866 " + String.format(agent, 5) + "1000 dn2:9866 " + String.format(datanode, 100) + "1010 dn1:9866 "
            + String.format(agent, 3_000_000) + "1010 dn2:9866 " + String.format(datanode, 40_000_100)),
        samples);
    TraceSlots slots = TraceSlots.of(samples, 10, 0, ANY);
    assertArrayEquals(new float[][] {{3}, {4}}, slots.trace().out());
    assertArrayEquals(new float[][] {{2}, {0}}, slots.trace().in());
    Path twice = file("twice", "1000 a {\"beans\":[]}\n");
    assertTrue(assertThrows(FormatException.class, () -> JmxSamples.read(twice, new Samples())).getMessage()
        .contains("neither a bean DayuAgent"));
  }

  @Test
  void jmxPollWithoutAnAnswer_isAGap_andACutOffOneIsRefused() throws IOException {
    String answer = " dn1 {\"beans\":[{\"name\":\"name=DataNodeActivity-dn1-9866\",\"RemoteBytesRead\":%d,"
        + "\"RemoteBytesWritten\":0}]}\n";
    Samples samples = new Samples();
    JmxSamples.read(file("jmx", "1000" + String.format(answer, 0) + "1010 dn1\n" + "1020 dn1 \n1030"
        + String.format(answer, 60_000_000)), samples);
    assertArrayEquals(new float[] {2, 2, 2}, TraceSlots.of(samples, 10, 2, ANY).trace().out()[0]);
    assertThrows(FormatException.class, () -> TraceSlots.of(samples, 10, 1, ANY));
    JmxSamples.read(file("never", "1000 dn2\n"), samples);
    assertEquals(
        "node dn2: expected at least two measurements each of what it sent and received; --leave-out leaves it "
            + "out",
        assertThrows(FormatException.class, () -> TraceSlots.of(samples, 10, 2, ANY)).getMessage());
    Path cut = file("cut", "1000 dn1 {\"beans\":[\n");
    assertEquals(cut + ": line 1: the answer is no whole JSON, expected all of it on one line",
        assertThrows(FormatException.class, () -> JmxSamples.read(cut, new Samples())).getMessage());
  }
}
