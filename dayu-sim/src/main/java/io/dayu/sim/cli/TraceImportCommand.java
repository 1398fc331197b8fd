/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import io.dayu.sim.FormatException;
import io.dayu.sim.cli.options.BadInputException;
import io.dayu.sim.cli.options.ByteCount;
import io.dayu.sim.cli.options.TimeSpan;
import io.dayu.sim.cli.report.OutputFile;
import io.dayu.sim.foreground.TraceWriter;
import io.dayu.sim.monitoring.CsvSamples;
import io.dayu.sim.monitoring.JmxSamples;
import io.dayu.sim.monitoring.PrometheusSamples;
import io.dayu.sim.monitoring.Samples;
import io.dayu.sim.monitoring.SarSamples;
import io.dayu.sim.monitoring.Times;
import io.dayu.sim.monitoring.TraceSlots;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * {@code trace import}: makes a trace of what Prometheus, sar, polls of /jmx or a CSV have. Filled by picocli;
 * single-threaded.
 */
@Command(name = "import", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Writes a trace in MB/s of what monitoring has measured; units and gaps are checked.")
final class TraceImportCommand implements Callable<Integer> {
  private static final double BITS = 0.125;

  @Spec
  private CommandSpec spec;

  @Option(names = "--prometheus-sent", paramLabel = "FILE[,...]", split = ",",
      description = "Answer of /api/v1/query_range: bytes/s that each node sent, one series a node; of a longer time "
          + "several.")
  private List<Path> prometheusSent;

  @Option(names = "--prometheus-received", paramLabel = "FILE[,...]", split = ",",
      description = "The same of what each node received.")
  private List<Path> prometheusReceived;

  @Option(names = "--label", paramLabel = "NAME", defaultValue = "instance",
      description = "Label of a series that names the node; a port is left out (default: ${DEFAULT-VALUE}).")
  private String label;

  @Option(names = "--counters", description = "Prometheus's values are those of counters, not rates.")
  private boolean counters;

  @Option(names = "--bits", description = "Prometheus's values are bits, not bytes.")
  private boolean bits;

  @Option(names = "--sar", paramLabel = "FILE[,...]", split = ",",
      description = "Output of 'sadf -d -- -n DEV', of one node or of several.")
  private List<Path> sar;

  @Option(names = "--device", paramLabel = "[NODE=]NAME[+NAME...]", split = ",", defaultValue = "eth0",
      description = "With --sar: the interfaces whose sum counts, of a node or of all others (default: "
          + "${DEFAULT-VALUE}).")
  private List<String> devices;

  @Option(names = "--jmx", paramLabel = "FILE[,...]", split = ",",
      description = "Polls of DataNodes' /jmx: lines of SECONDS NODE JSON; a poll without an answer has no JSON.")
  private List<Path> jmx;

  @Option(names = "--csv", paramLabel = "FILE[,...]", split = ",",
      description = "CSV with the columns time,node,sent,received,unit: a row for each time and node.")
  private List<Path> csv;

  @Option(names = "--unit", paramLabel = "UNIT",
      description = "With --csv: the unit of all values, such as MB/s, Mbps, or B of counters, if there is no column "
          + "for it.")
  private String unit;

  @Option(names = "--zone", paramLabel = "ZONE",
      description = "Zone of times that do not say it or whose abbreviation is that of several, such as UTC or "
          + "Europe/Berlin.")
  private ZoneId zone;

  @Option(names = "--leave-out", paramLabel = "NODE[,...]", split = ",",
      description = "Nodes that are measured but are no DataNodes.")
  private Set<String> leaveOut = new TreeSet<>();

  @Option(names = "--slot", paramLabel = "TIME", defaultValue = "15s", converter = TimeSpan.Converter.class,
      description = "Length of a slot of the trace (default: ${DEFAULT-VALUE}).")
  private TimeSpan slot;

  @Option(names = "--max-gap", paramLabel = "N", defaultValue = "4",
      description = "Slots in a row that may be missing of a node; they are filled from those beside them (default: "
          + "${DEFAULT-VALUE}).")
  private int maxGap;

  @Option(names = "--line-rate", paramLabel = "BYTES", defaultValue = "125GB", converter = ByteCount.class,
      description = "What a link carries, a second; a higher rate is refused, since its unit is wrong (default: "
          + "${DEFAULT-VALUE}, more than any).")
  private long lineRate;

  @Option(names = "--out", paramLabel = "FILE", required = true,
      description = "The trace; gzip if its name ends in .gz.")
  private Path out;

  @Override
  public Integer call() {
    if (slot.millis() < 1 || maxGap < 0) {
      throw new BadInputException(
          "--slot = " + slot + " and --max-gap = " + maxGap + ", expected above 0 and at least 0");
    }
    Samples samples;
    TraceSlots slots;
    try {
      samples = samples();
      checkLeftOut(samples);
      slots = TraceSlots.of(samples, slot.millis() / 1000.0, maxGap, lineRate);
    } catch (FormatException e) {
      throw new BadInputException(e.getMessage());
    }
    try (OutputFile file = new OutputFile(out)) {
      file.replaceText(text -> TraceWriter.write(slots.trace(), text));
    }
    PrintWriter text = spec.commandLine().getOut();
    text.println(String.format(Locale.ROOT,
        "%d nodes, %d slots of %s from %s; sent %.2f MB/s on average, highest rate %.2f MB/s; %d values filled, %d "
            + "counters began anew",
        slots.trace().nodes().size(), slots.trace().slots(), slot, Instant.ofEpochSecond((long) slots.startSec()),
        slots.meanSent() / 1e6, slots.highest() / 1e6, slots.filled(), slots.resets()));
    slots.remarks().forEach(text::println);
    if (!leaveOut.isEmpty()) {
      text.println("left out: " + String.join(", ", leaveOut));
    }
    if (prometheusSent != null && !counters) {
      text.println("rates: each is taken for the mean since the one before; of a rate(…) over a longer time take the "
          + "counters instead (--counters)");
    }
    samples.remarks().forEach(text::println);
    samples.warnings().forEach(text::println);
    text.flush();
    return samples.warnings().isEmpty() ? Main.SUCCESS : Main.UNFINISHED;
  }

  private void checkLeftOut(Samples samples) {
    for (String node : leaveOut) {
      if (!samples.foundLeftOut().contains(node)) {
        throw new BadInputException("--leave-out = " + node + ": no such node; there are " + samples.nodes().size()
            + samples.nodes().stream().findFirst().map(one -> ", such as " + one).orElse(""));
      }
    }
    if (samples.nodes().isEmpty()) {
      throw new BadInputException("--leave-out leaves no node");
    }
  }

  private Samples samples() throws FormatException {
    if ((prometheusSent == null) != (prometheusReceived == null)) {
      throw new BadInputException("--prometheus-sent and --prometheus-received are needed together");
    }
    if (Stream.of(prometheusSent, sar, jmx, csv).filter(Objects::nonNull).count() != 1) {
      throw new BadInputException(
          "expected files of one kind: --prometheus-sent and --prometheus-received, --sar, --jmx, or --csv");
    }
    if (prometheusSent == null) {
      BadInputException.refuse(spec, List.of("--label", "--counters", "--bits"), " needs --prometheus-sent");
    }
    if (sar == null) {
      BadInputException.refuse(spec, List.of("--device"), " needs --sar");
    }
    if (csv == null) {
      BadInputException.refuse(spec, List.of("--unit"), " needs --csv");
    }
    if (sar == null && csv == null) {
      BadInputException.refuse(spec, List.of("--zone"), " needs --sar or --csv");
    }
    Samples samples = new Samples(leaveOut);
    read("--prometheus-sent", prometheusSent,
        file -> PrometheusSamples.read(file, label, bits ? BITS : 1, counters, true, samples));
    read("--prometheus-received", prometheusReceived,
        file -> PrometheusSamples.read(file, label, bits ? BITS : 1, counters, false, samples));
    if (sar != null) {
      SarSamples reader = new SarSamples(devicesOf(), new Times(zone), samples);
      read("--sar", sar, reader::read);
      reader.finish();
    }
    read("--jmx", jmx, file -> JmxSamples.read(file, samples));
    read("--csv", csv, file -> CsvSamples.read(file, unit, new Times(zone), samples));
    return samples;
  }

  /** Reads a file. */
  @FunctionalInterface
  private interface Reader {
    void read(Path file) throws IOException;
  }

  private static void read(String option, List<Path> files, Reader reader) throws FormatException {
    BadInputException.checkNotEmpty(option, files);
    for (Path file : files == null ? List.<Path>of() : files) {
      BadInputException.checkReadable(file);
      try {
        reader.read(file);
      } catch (FormatException e) {
        throw e;
      } catch (IOException e) {
        throw new BadInputException("cannot read " + file + ": " + BadInputException.reason(e));
      }
    }
  }

  /** By node, its interfaces; those of all others by an empty name. */
  private Map<String, List<String>> devicesOf() {
    Map<String, List<String>> found = new HashMap<>(Map.of("", List.of("eth0")));
    for (String device : devices) {
      int names = device.indexOf('=') + 1;
      found.put(device.substring(0, Math.max(0, names - 1)), List.of(device.substring(names).split("\\+")));
    }
    return found;
  }
}
