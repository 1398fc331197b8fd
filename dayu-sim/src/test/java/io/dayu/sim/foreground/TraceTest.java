/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

import io.dayu.sim.Cluster;
import io.dayu.sim.FormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TraceTest {
  private static final String GOOD = "node,dir,s0,s1\na,tx,1,2.5\nb,rx,0,1e2\na,rx,3,4\nb,tx,7,8\n";

  @TempDir
  private Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("trace.csv"), text);
  }

  @Test
  void rows_areRead_inAnyOrder_plainOrGzip() throws IOException {
    Path zipped = folder.resolve("trace.bin");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(zipped))) {
      out.write(GOOD.getBytes(StandardCharsets.UTF_8));
    }
    for (Path path : List.of(file(GOOD), zipped)) {
      Trace trace = TraceReader.read(path);
      assertEquals(List.of("a", "b"), trace.nodes());
      assertEquals(2, trace.slots());
      assertArrayEquals(new float[][] {{3, 4}, {0, 100}}, trace.in());
      assertArrayEquals(new float[][] {{1, 2.5f}, {7, 8}}, trace.out());
      assertEquals(List.of("b"), trace.busierThan(2).nodes());
    }
  }

  @Test
  void rows_mayHaveSemicolons_decimalCommas_quotes_andComments() throws IOException {
    Trace trace = TraceReader.read(file("# of the dashboard, slot=600000ms start=2026-11-23T22:00:00Z\n"
        + "node;dir;s0;s1\n\n\"a\";tx;1,5;2\n# b was down\na;rx;3;4,25\n"));
    assertArrayEquals(new float[][] {{1.5f, 2}}, trace.out());
    assertArrayEquals(new float[][] {{3, 4.25f}}, trace.in());
    assertEquals(600_000, trace.slotMs());
    assertEquals("2026-11-23T22:00:00Z", trace.start().toString());
    assertEquals(0, TraceReader.read(file(GOOD)).slotMs());
    assertTrue(assertThrows(FormatException.class, () -> TraceReader.read(file("#start=today\n" + GOOD)))
        .getMessage().contains("expected a comment like start=2026-11-23T10:00:00Z"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "''| line 1, column 1: expected the header",
      "node,dir| line 1, column 3: expected the header node,dir,s0,s1,… with s0 here, found 'nothing'",
      "node,dir,s0,s2| line 1, column 4: expected the header node,dir,s0,s1,… with s1 here, found 's2'",
      "node,dir,s0| line 2: the file ends without a row of any node",
      "node,dir,s0,s1;a,tx,1| line 2, column 3: the row ends after 3 columns, expected 4 as in the header",
      "node,dir,s0;a,tx,1;a,rx,1,2| line 3, column 3: the row ends after 4 columns, expected 3",
      "node,dir,s0,s1;a,tx,1,x| line 2, column 4 (s1): expected a number at least 0, found 'x'",
      "node,dir,s0;a,tx,-1| line 2, column 3 (s0): expected a number at least 0, found '-1'",
      "node,dir,s0;a,tx,NaN| line 2, column 3 (s0): expected a number at least 0, found 'NaN'",
      "node,dir,s0;a,tx,| line 2, column 3 (s0): expected a number at least 0, found ''",
      "node,dir,s0;a,tx,1d| line 2, column 3 (s0): expected a number at least 0, found '1d'",
      "node,dir,s0;a,up,1| line 2, column 2 (dir): expected tx or rx, found 'up'",
      "node,dir,s0;,tx,1| line 2, column 1 (node): the name of the node is empty",
      "node,dir,s0;a,tx,1;a,tx,1| line 3, column 2 (dir): a second row tx of node a",
      "node,dir,s0;a,tx,1| line 3: the file ends without a row rx of node a"})
  void badFile_isRefused_whereItIsBad(String text, String message) throws IOException {
    Path path = file(text.replace(';', '\n'));
    String found = assertThrows(FormatException.class, () -> TraceReader.read(path)).getMessage();
    assertTrue(found.startsWith(path + ": " + message), found);
  }

  @Test
  void trace_repeats_andIsCutOffAtTheBandwidth() throws IOException {
    ForegroundStream stream =
        new TraceForeground(new Cluster(2, 1, 50), TraceReader.read(file(GOOD)), 10, 1000, 1).open(-1);
    long[] in = new long[2];
    long[] out = new long[2];
    stream.next(in, out);
    assertArrayEquals(new long[] {40, 50}, in);
    assertArrayEquals(new long[] {25, 50}, out);
    stream.next(in, out);
    assertArrayEquals(new long[] {30, 0}, in);
    stream.next(in, out);
    assertArrayEquals(new long[] {40, 50}, in);
  }

  @Test
  void largerCluster_getsRowsByChance() throws IOException {
    long[] in = new long[100];
    new TraceForeground(new Cluster(100, 1, 50), TraceReader.read(file(GOOD)), 10, 1000, 1).open(0).next(in,
        new long[100]);
    long busy = java.util.Arrays.stream(in).filter(rate -> rate == 30).count();
    assertTrue(busy > 25 && busy < 75, busy + " of 100");
  }

  @Test
  void generatedTrace_readsBack_asTheModelHasIt() throws IOException {
    Cluster cluster = new Cluster(130, 40, 250_000_000);
    SyntheticForeground model = new SyntheticForeground(cluster, 3, 0);
    StringBuilder text = new StringBuilder();
    TraceWriter.write(model, 9, text, nodes -> {});
    ForegroundModel read = new TraceForeground(cluster, TraceReader.read(file(text.toString())), 1e6, 15_000, 1);
    ForegroundStream expected = model.open(0);
    ForegroundStream found = read.open(0);
    long[][] a = new long[2][130];
    long[][] b = new long[2][130];
    for (int slot = 0; slot < 9; slot++) {
      expected.next(a[0], a[1]);
      found.next(b[0], b[1]);
      for (int node = 0; node < 130; node++) {
        assertEquals(a[0][node], b[0][node], 5010, "in, slot " + slot + " node " + node);
        assertEquals(a[1][node], b[1][node], 5010, "out, slot " + slot + " node " + node);
      }
    }
  }
}
