/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.hosts;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.sim.FormatException;
import io.dayu.sim.foreground.ForegroundModel;
import io.dayu.sim.foreground.ForegroundStream;
import io.dayu.sim.placement.LostBlocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A file like that of a run on 8 hosts, in which host 5 held 114 blocks of 2 MiB, with a foreground of a fifth of each
 * link.
 */
class HostsResultFileTest {
  private static final long LOST_BYTES = 239_075_328;

  @TempDir
  private Path folder;

  private static Map<String, Object> run(String mode, Object recoverySec) {
    return runOf(8, mode, recoverySec);
  }

  private static Map<String, Object> runOf(int count, String mode, Object recoverySec) {
    double[] second = new double[120];
    Arrays.fill(second, 625_000);
    List<double[]> hosts = new ArrayList<>();
    for (int host = 0; host < count; host++) {
      hosts.add(second);
    }
    Map<String, Object> run = new HashMap<>(Map.of("mode", mode, "seeds", "1", "victim", 5, "lostBytes", LOST_BYTES,
        "idealSec", 20.0, "series", Map.of("lossAtSec", 28.2, "receivedBytes", hosts, "sentBytes", hosts)));
    run.put("recoverySec", recoverySec);
    return run;
  }

  private Path write(Object... runs) throws IOException {
    Path file = folder.resolve("hosts.json");
    new ObjectMapper().writeValue(file.toFile(), Map.of("version", 2, "runs", runs, "options", Map.of("nodes", 8,
        "racks", 4, "rateBitsPerSec", 25_000_000, "blockBytes", 2_097_152, "dataBytes", 251_658_240)));
    return file;
  }

  private static LostBlocks lost(HostsResultFile file) {
    HostsResultFile.Run run = file.recoveries().get(0);
    return file.data().lost(run.seed(), run.victim(), run.lostBytes(), 1);
  }

  @Test
  void placement_isThatOfTheBenchmark() throws IOException {
    HostsResultFile file = HostsResultFile.read(write(run("none", null), run("dayu", 40.0)));
    assertEquals(320, file.data().files());
    LostBlocks lost = lost(file);
    assertEquals(114, lost.count());
    assertEquals(LOST_BYTES, lost.movedBytes());
    for (int holder : lost.holders()) {
      assertTrue(holder >= 0 && holder < 8 && holder != 5);
    }
    assertEquals(280, file.firstSlot(file.none(1).orElseThrow()));
  }

  /** The run of docs/results.md: 68 internal blocks and 4 replicas. */
  private Path writeGroups(int files, long lostBytes) throws IOException {
    Map<String, Object> none = runOf(10, "none", null);
    Map<String, Object> dayu = runOf(10, "dayu", 60.0);
    for (Map<String, Object> run : List.of(none, dayu)) {
      run.put("victim", 6);
      run.put("lostBytes", lostBytes);
    }
    Path file = folder.resolve("groups.json");
    new ObjectMapper().writeValue(file.toFile(), Map.of("version", 4, "runs", List.of(none, dayu), "options",
        Map.of("nodes", 10, "racks", 2, "rateBitsPerSec", 25_000_000, "blockBytes", 2_097_152, "dataBytes", 125_829_120,
            "erasureCoding", "RS-3-2-1024k", "groups", 120, "files", files)));
    return file;
  }

  @Test
  void groups_areWhereTheBenchmarkPutsThem_andTheFewBlocksBesideThemAreLeftOut() throws IOException {
    HostsResultFile file = HostsResultFile.read(writeGroups(20, 72 * 2_097_152L));
    LostBlocks lost = lost(file);
    assertEquals(68, lost.count());
    assertEquals(3, lost.width(0));
    assertEquals(4, lost.holdersPerBlock());
    for (int group = 0; group < lost.count(); group++) {
      int[] inRack = new int[2];
      for (int i = 0; i < 4; i++) {
        assertTrue(lost.holder(group, i) != 6);
        inRack[lost.holder(group, i) % 2]++;
      }
      // Host 6 was one of two or three of its rack.
      assertTrue(inRack[0] >= 1 && inRack[0] <= 2, "group " + group);
    }
    HostsPrediction prediction = HostsPrediction.of(file, file.recoveries().get(0)).orElseThrow();
    assertEquals(0, prediction.unfinished());
  }

  @Test
  void groupsWithManyBlocksBesideThem_areRefused() throws IOException {
    HostsResultFile file = HostsResultFile.read(writeGroups(120, 1));
    String held = assertThrows(IllegalArgumentException.class, () -> lost(file)).getMessage();
    long blocks = Long.parseLong(held.replaceAll(".* it holds (\\d+) blocks.*", "$1"));
    HostsResultFile many = HostsResultFile.read(writeGroups(120, blocks * 2_097_152));
    String message = assertThrows(IllegalArgumentException.class, () -> lost(many)).getMessage();
    assertTrue(message.contains("recoveries of both together are not predicted"), message);
  }

  @Test
  void foreground_comesInBursts_andHasTheMeansOfTheFile() throws IOException {
    HostsResultFile file = HostsResultFile.read(write(run("none", null), run("dayu", 40.0)));
    ForegroundModel foreground = file.foreground(file.none(1).orElseThrow(), 7);
    ForegroundStream stream = foreground.open(0);
    long[] in = new long[8];
    long[] out = new long[8];
    for (int second = 0; second < 20; second++) {
      double received = 0;
      double sent = 0;
      int full = 0;
      for (long ms = 0; ms < 1000; ms += foreground.slotMs()) {
        stream.next(in, out);
        received += in[3] * foreground.slotMs() / 1000.0;
        sent += out[4] * foreground.slotMs() / 1000.0;
        full += in[3] == 3_125_000 ? 1 : 0;
        assertTrue(in[3] <= 3_125_000, in[3] + " bytes/s");
      }
      assertEquals(625_000, received, 2);
      assertEquals(625_000, sent, 2);
      assertTrue(full >= 1, "a burst fills the link");
    }
    long[] again = new long[8];
    file.foreground(file.none(1).orElseThrow(), 7).open(199).next(again, new long[8]);
    assertArrayEquals(in, again);
  }

  @Test
  void recoveries_arePredicted_whereTheModeIsKnown() throws IOException {
    HostsResultFile file =
        HostsResultFile
            .read(write(run("none", null), run("dayu", 40.0), run("stock-default", 40.0), run("other", 40.0)));
    assertTrue(HostsPrediction.of(file, file.recoveries().get(2)).isEmpty());
    for (int i = 0; i < 2; i++) {
      HostsPrediction prediction = HostsPrediction.of(file, file.recoveries().get(i)).orElseThrow();
      assertTrue(prediction.deviationSec() > 0 && prediction.deviationSec() < 10, prediction.toString());
      assertEquals(0, prediction.unfinished());
    }
  }

  @Test
  void anotherPlacement_isRefused() throws IOException {
    Map<String, Object> other = run("dayu", 40.0);
    other.put("lostBytes", LOST_BYTES + 1);
    HostsResultFile file = HostsResultFile.read(write(run("none", null), other));
    String message = assertThrows(IllegalArgumentException.class,
        () -> HostsPrediction.of(file, file.recoveries().get(0))).getMessage();
    assertTrue(message.contains("114 blocks of 2097152"), message);
  }

  @Test
  void anotherFault_orOtherSettings_areRefused() throws IOException {
    Path file = folder.resolve("fault.json");
    Files.writeString(file, "{\"version\": 3, \"options\": {\"fault\": \"limp\"}}");
    String message = assertThrows(FormatException.class, () -> HostsResultFile.read(file)).getMessage();
    assertTrue(message.contains("fault limp is not predicted; expected kill"), message);
    Files.writeString(file, "{\"version\": 3, \"options\": {\"conf\": {\"dayu.lease\": \"9s\"}}}");
    message = assertThrows(FormatException.class, () -> HostsResultFile.read(file)).getMessage();
    assertTrue(message.contains("a run with settings of its own is not predicted"), message);
  }

  @Test
  void otherFiles_areRefused_namingTheField() throws IOException {
    Path file = folder.resolve("other.json");
    Files.writeString(file, "{\"version\": 2}");
    assertTrue(
        assertThrows(FormatException.class, () -> HostsResultFile.read(file)).getMessage()
            .contains("no field options"));
    Files.writeString(file, "{\"options\": {");
    assertTrue(assertThrows(FormatException.class, () -> HostsResultFile.read(file)).getMessage().contains("no JSON"));
    Map<String, Object> cut = run("none", null);
    cut.put("series",
        Map.of("lossAtSec", 1, "receivedBytes", List.of(new double[3]), "sentBytes", List.of(new double[3])));
    assertTrue(assertThrows(FormatException.class, () -> HostsResultFile.read(write(cut))).getMessage()
        .contains("receivedBytes has 1 rows, expected 8"));
    Files.writeString(file, "");
    assertTrue(assertThrows(FormatException.class, () -> HostsResultFile.read(file)).getMessage()
        .contains("the file is empty"));
  }

  @Test
  void gzip_isReadToo() throws IOException {
    Path zipped = folder.resolve("hosts.json.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(zipped))) {
      Files.copy(write(run("none", null), run("dayu", 40.0)), out);
    }
    assertEquals(320, HostsResultFile.read(zipped).data().files());
  }
}
