/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import io.dayu.sim.foreground.TraceWriter;
import io.dayu.sim.monitoring.JmxSamples;
import io.dayu.sim.monitoring.PrometheusSamples;
import io.dayu.sim.monitoring.Samples;
import io.dayu.sim.monitoring.SamplesFormatException;
import io.dayu.sim.monitoring.SarSamples;
import io.dayu.sim.monitoring.TraceSlots;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/**
 * {@code trace import}: makes a trace of what Prometheus, sar or polls of /jmx have. Filled by picocli;
 * single-threaded.
 */
@Command(name = "import", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Writes a trace in MB/s of what monitoring has measured; units and gaps are checked.")
final class TraceImportCommand implements Callable<Integer> {
  private static final double BITS = 0.125;

  @Spec
  private CommandSpec spec;

  @Option(names = "--prometheus-sent", paramLabel = "FILE",
      description = "Answer of /api/v1/query_range: bytes/s that each node sent, one series a node.")
  private Path prometheusSent;

  @Option(names = "--prometheus-received", paramLabel = "FILE", description = "The same of what each node received.")
  private Path prometheusReceived;

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

  @Option(names = "--device", paramLabel = "NAME", defaultValue = "eth0",
      description = "With --sar: the interface that counts (default: ${DEFAULT-VALUE}).")
  private String device;

  @Option(names = "--jmx", paramLabel = "FILE[,...]", split = ",",
      description = "Polls of DataNodes' /jmx: lines of SECONDS NODE JSON; a poll without an answer has no JSON.")
  private List<Path> jmx;

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
    TraceSlots slots;
    try {
      slots = TraceSlots.of(samples(), slot.millis() / 1000.0, maxGap, lineRate);
    } catch (IOException e) {
      throw new BadInputException(
          e instanceof SamplesFormatException ? e.getMessage() : "cannot read: " + BadInputException.reason(e));
    }
    try (OutputFile file = new OutputFile(out)) {
      file.replaceText(text -> TraceWriter.write(slots.trace(), text));
    }
    spec.commandLine().getOut().println(String.format(Locale.ROOT,
        "%d nodes, %d slots of %s from %s; sent %.2f MB/s on average, highest rate %.2f MB/s; %d values filled, %d "
            + "counters began anew",
        slots.trace().nodes().size(), slots.trace().slots(), slot, Instant.ofEpochSecond((long) slots.startSec()),
        slots.meanSent() / 1e6, slots.highest() / 1e6, slots.filled(), slots.resets()));
    return Main.SUCCESS;
  }

  private Samples samples() throws IOException {
    if ((prometheusSent == null) != (prometheusReceived == null)) {
      throw new BadInputException("--prometheus-sent and --prometheus-received are needed together");
    }
    if ((prometheusSent == null ? 0 : 1) + (sar == null ? 0 : 1) + (jmx == null ? 0 : 1) != 1) {
      throw new BadInputException(
          "expected files of one kind: --prometheus-sent and --prometheus-received, --sar, or --jmx");
    }
    if (prometheusSent == null) {
      BadInputException.refuse(spec, List.of("--label", "--counters", "--bits"), " needs --prometheus-sent");
    }
    if (sar == null) {
      BadInputException.refuse(spec, List.of("--device"), " needs --sar");
    }
    Samples samples = new Samples();
    if (prometheusSent != null) {
      for (Path file : List.of(prometheusSent, prometheusReceived)) {
        BadInputException.checkReadable(file);
        PrometheusSamples.read(file, label, bits ? BITS : 1, counters, file == prometheusSent, samples);
      }
    }
    for (Path file : sar == null ? List.<Path>of() : sar) {
      BadInputException.checkReadable(file);
      SarSamples.read(file, device, samples);
    }
    for (Path file : jmx == null ? List.<Path>of() : jmx) {
      BadInputException.checkReadable(file);
      JmxSamples.read(file, samples);
    }
    return samples;
  }
}
