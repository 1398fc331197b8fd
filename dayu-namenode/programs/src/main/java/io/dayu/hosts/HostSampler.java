/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Reads the counters of links and processes five times a second, by a thread of its own. Thread-safe. */
final class HostSampler implements Closeable {
  private static final int PERIOD_MS = 200;
  private static final int RECEIVED_FIELD = 0;
  private static final int SENT_FIELD = 8;
  private static final int USER_TIME_FIELD = 11;

  private final HostCluster cluster;
  private final Map<HostProcess, Long> lastTicks = new HashMap<>();
  private final List<HostSample> samples = new ArrayList<>();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final Thread thread = new Thread(this::sample, "host-sampler");

  HostSampler(HostCluster cluster) {
    this.cluster = cluster;
    thread.setDaemon(true);
    thread.start();
  }

  synchronized List<HostSample> samples() {
    return List.copyOf(samples);
  }

  private void sample() {
    try {
      while (!stop.await(PERIOD_MS, TimeUnit.MILLISECONDS)) {
        HostSample sample = read();
        synchronized (this) {
          samples.add(sample);
        }
      }
    } catch (IOException | InterruptedException e) {
      System.err.println("no more samples: " + e);
    }
  }

  private HostSample read() throws IOException {
    List<Long> received = new ArrayList<>();
    List<Long> sent = new ArrayList<>();
    for (HostProcess dataNode : cluster.dataNodes()) {
      String[] link = link(dataNode);
      int node = received.size();
      received.add(link.length == 0 ? last(node, HostSample::receivedBytes) : Long.parseLong(link[RECEIVED_FIELD]));
      sent.add(link.length == 0 ? last(node, HostSample::sentBytes) : Long.parseLong(link[SENT_FIELD]));
    }
    String[] cpu = Files.readString(Path.of("/proc/stat")).lines().findFirst().orElseThrow().trim().split("\\s+");
    long ticks = 0;
    // The guests' time, which comes last, is part of the users'.
    for (int field = 1; field <= 8; field++) {
      ticks += Long.parseLong(cpu[field]);
    }
    long idle = Long.parseLong(cpu[4]) + Long.parseLong(cpu[5]);
    List<Long> processTicks = new ArrayList<>();
    for (List<HostProcess> processes : cluster.processes()) {
      processTicks.add(processes.stream().mapToLong(this::ticksOf).sum());
    }
    return new HostSample(System.currentTimeMillis(), received, sent, ticks, idle, processTicks);
  }

  private synchronized long last(int node, Function<HostSample, List<Long>> direction) {
    return samples.isEmpty() ? 0 : direction.apply(samples.get(samples.size() - 1)).get(node);
  }

  /** The counters of the one link in the namespace of the process; none if the process is gone. */
  private static String[] link(HostProcess process) {
    try {
      for (String line : Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "net", "dev"))) {
        int colon = line.indexOf(':');
        if (colon > 0 && line.substring(0, colon).strip().equals("eth0")) {
          return line.substring(colon + 1).strip().split("\\s+");
        }
      }
    } catch (IOException gone) {
      // Below.
    }
    return new String[0];
  }

  /** Those that it had when it was last seen, if it is gone. */
  private long ticksOf(HostProcess process) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      lastTicks.put(process, Long.parseLong(fields[USER_TIME_FIELD]) + Long.parseLong(fields[USER_TIME_FIELD + 1]));
    } catch (IOException gone) {
      // Below.
    }
    return lastTicks.getOrDefault(process, 0L);
  }

  @Override
  public void close() {
    stop.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
