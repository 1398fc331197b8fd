/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.nic;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Reads the counters of a cluster's NICs at a fixed rate from when it is made until it is closed. Safe for use by all
 * threads.
 */
public final class NicSampler implements AutoCloseable {
  /** Two hours at four a second. */
  private static final int MAX_SAMPLES = 28_800;

  private final List<EmulatedNic> nics;
  private final List<NicSeries.Sample> samples = new ArrayList<>();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
    Thread thread = new Thread(task, "nic-sampler");
    thread.setDaemon(true);
    return thread;
  });

  /**
   * @param nics by number of the DataNode
   */
  public NicSampler(List<EmulatedNic> nics, long periodMs) {
    this.nics = List.copyOf(nics);
    timer.scheduleAtFixedRate(this::sample, 0, periodMs, TimeUnit.MILLISECONDS);
  }

  /** Takes a sample now, out of turn, as where one phase of an experiment ends and the next one begins. */
  public synchronized void sample() {
    if (samples.size() < MAX_SAMPLES) {
      samples.add(new NicSeries.Sample(System.nanoTime(), nics.stream().map(EmulatedNic::counters).toList()));
    }
  }

  /** Everything up to now. */
  public synchronized NicSeries series() {
    return new NicSeries(samples);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
