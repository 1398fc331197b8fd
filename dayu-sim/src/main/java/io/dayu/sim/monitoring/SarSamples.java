/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.monitoring;

import io.dayu.sim.FormatException;
import io.dayu.sim.TextFile;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Reads what {@code sadf -d -- -n DEV} prints of sar's files, those of all nodes one after another: a line for each
 * interval and interface. kB are 1024 bytes there. Sections other than that of interfaces, restarts and comments are
 * skipped. Used once for all files; not thread-safe.
 */
public final class SarSamples {
  private static final double BYTES_PER_KB = 1024;
  private static final List<String> COLUMNS = List.of("hostname", "interval", "timestamp", "IFACE", "rxkB/s", "txkB/s");
  private static final String WANTED = "expected the output of 'sadf -d -- -n DEV'";

  private final Map<String, List<String>> devicesOf;
  private final Times times;
  private final Samples samples;
  /** By node and interface, intervals by their end. */
  private final Map<String, Map<String, TreeMap<Double, Interval>>> intervals = new LinkedHashMap<>();
  private final Set<String> sections = new TreeSet<>();
  private String firstOtherHeader;
  private boolean inSection;
  private int[] at;
  private int skipped;
  private int marks;

  /** What an interface did in an interval. */
  private record Interval(double seconds, double receivedBytesPerSec, double sentBytesPerSec) {
  }

  /**
   * Of files that are still to be read.
   *
   * @param devicesOf by node, the interfaces that count, whose sum is the node's traffic; those of an empty name are of
   *     all others
   */
  public SarSamples(Map<String, List<String>> devicesOf, Times times, Samples samples) {
    this.devicesOf = devicesOf;
    this.times = times;
    this.samples = samples;
  }

  /** Reads one more file. */
  public void read(Path file) throws IOException {
    at = null;
    inSection = false;
    try (BufferedReader reader = TextFile.open(file, bytes -> {})) {
      int line = 0;
      for (String text = reader.readLine(); text != null; text = reader.readLine()) {
        String where = file + ": line " + ++line;
        if (text.startsWith("#")) {
          readHeader(text.substring(1).trim(), where);
        } else if (!text.isBlank()) {
          readRow(text.split(";", -1), where);
        }
      }
    }
  }

  private void readHeader(String header, String where) {
    inSection = true;
    List<String> names = Arrays.asList(header.split(";", -1));
    int[] columns = COLUMNS.stream().mapToInt(names::indexOf).toArray();
    for (int i = 0; i < columns.length; i++) {
      if (columns[i] < 0) {
        at = null;
        sections.add(names.size() > 3 ? names.get(3) : header);
        if (firstOtherHeader == null || names.contains("IFACE") && !firstOtherHeader.contains("rxkB")) {
          firstOtherHeader = where + ": no column " + COLUMNS.get(i) + " in the header, " + WANTED;
        }
        return;
      }
    }
    at = columns;
  }

  private void readRow(String[] fields, String where) throws FormatException {
    if (fields.length <= 4 && fields.length > 1 && fields[1].equals("-1")) {
      marks++; // LINUX-RESTART, which a file of the day of a boot begins with, or COM, a comment.
    } else if (!inSection) {
      throw new FormatException(
          where + ": expected the header, which begins with # hostname;interval; " + WANTED);
    } else if (at == null) {
      skipped++;
    } else if (fields.length <= Arrays.stream(at).max().orElse(0)) {
      throw new FormatException(where + ": the row ends after " + fields.length + " columns");
    } else if (!samples.leavesOut(fields[at[0]])) {
      String node = fields[at[0]];
      double end = times.seconds(fields[at[2]], where);
      TreeMap<Double, Interval> of = intervals.computeIfAbsent(node, name -> new LinkedHashMap<>())
          .computeIfAbsent(fields[at[3]], name -> new TreeMap<>());
      if (!of.isEmpty() && of.lastKey() >= end) {
        throw new FormatException(where + ": times of node " + node + " are not in order at "
            + Samples.time(end) + ", or another file has them already");
      }
      of.put(end, new Interval(number(fields[at[1]], where), BYTES_PER_KB * number(fields[at[4]], where),
          BYTES_PER_KB * number(fields[at[5]], where)));
    }
  }

  /** Where the locale has a decimal comma, sadf writes one. */
  private static double number(String text, String where) throws FormatException {
    return Samples.number(text.replace(',', '.'), where);
  }

  /** Sums the interfaces of each node; to be called when all files are read. */
  public void finish() throws FormatException {
    if (intervals.isEmpty()) {
      throw new FormatException(
          firstOtherHeader != null ? firstOtherHeader : "no row of an interface, " + WANTED);
    }
    Map<String, List<String>> nodesOf = new TreeMap<>();
    Set<String> others = new TreeSet<>();
    for (Map.Entry<String, Map<String, TreeMap<Double, Interval>>> node : intervals.entrySet()) {
      List<String> devices = devicesOf.getOrDefault(node.getKey(), devicesOf.get(""));
      Set<String> found = new TreeSet<>(node.getValue().keySet());
      if (!found.containsAll(devices)) {
        throw new FormatException("node " + node.getKey() + " has no interface " + String.join("+", devices)
            + ", it has " + String.join(", ", found) + " (--device " + node.getKey() + "=NAME, or --leave-out)");
      }
      nodesOf.computeIfAbsent(String.join("+", devices), name -> new ArrayList<>()).add(node.getKey());
      devices.forEach(found::remove);
      others.addAll(found);
      sum(node.getKey(), devices.stream().map(node.getValue()::get).toList());
    }
    samples.remark("interfaces: %s; %s", nodesOf.entrySet().stream()
        .map(one -> one.getKey() + " of " + (one.getValue().size() == 1 ? one.getValue().get(0)
            : one.getValue().size() + " nodes"))
        .collect(Collectors.joining(", ")),
        others.isEmpty() ? "none left out" : "left out " + String.join(", ", others));
    if (skipped + marks > 0) {
      samples.remark("skipped: %d rows of other sections%s, %d restarts and comments", skipped,
          sections.isEmpty() ? "" : " (" + String.join(", ", sections) + ")", marks);
    }
  }

  /** If one of the interfaces lacks an interval, the node's traffic in it is not known. */
  private void sum(String node, List<TreeMap<Double, Interval>> devices) {
    for (Map.Entry<Double, Interval> one : devices.get(0).entrySet()) {
      double end = one.getKey();
      if (devices.stream().allMatch(device -> device.containsKey(end))) {
        double begin = end - one.getValue().seconds;
        samples.received(node).addMean(begin, end,
            devices.stream().mapToDouble(device -> device.get(end).receivedBytesPerSec).sum());
        samples.sent(node).addMean(begin, end,
            devices.stream().mapToDouble(device -> device.get(end).sentBytesPerSec).sum());
      }
    }
  }
}
