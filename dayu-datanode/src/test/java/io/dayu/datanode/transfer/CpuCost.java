/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;

/**
 * CPU time and speed of one way to copy or rebuild blocks, by rounds. All daemons are in this process, so both ends and
 * the NameNode's part are counted. What the idle process takes is taken off.
 */
final class CpuCost {
  private static final double GB = 1e9;

  private final String name;
  private final double[] cpuSecondsOfAGb;
  private final double[] gbPerSec;

  /** What is measured. */
  interface Work {
    void run() throws Exception;
  }

  CpuCost(String name, int rounds) {
    this.name = name;
    this.cpuSecondsOfAGb = new double[rounds];
    this.gbPerSec = new double[rounds];
  }

  /** Measures the work as this round; a second measurement of a round replaces the first. */
  void measure(int round, long bytes, Work work) throws Exception {
    double idleShare = idleShare();
    long cpuNs = cpuNs();
    long beganNs = System.nanoTime();
    work.run();
    double seconds = (System.nanoTime() - beganNs) / 1e9;
    double used = (cpuNs() - cpuNs) / 1e9 - idleShare * seconds;
    cpuSecondsOfAGb[round] = used / (bytes / GB);
    gbPerSec[round] = bytes / GB / seconds;
  }

  String round(int round) {
    return String.format(Locale.ROOT, "%s %.2f CPU s, %.3f GB/s", name, cpuSecondsOfAGb[round], gbPerSec[round]);
  }

  String medians(CpuCost stock) {
    return String.format(Locale.ROOT, "%s: %.2f CPU s for a GB (%.2f of stock's), %.3f GB/s (%.2f of stock's)", name,
        median(cpuSecondsOfAGb), median(ratios(cpuSecondsOfAGb, stock.cpuSecondsOfAGb)), median(gbPerSec),
        median(ratios(gbPerSec, stock.gbPerSec)));
  }

  private static double[] ratios(double[] values, double[] base) {
    double[] ratios = new double[values.length];
    Arrays.setAll(ratios, i -> values[i] / base[i]);
    return ratios;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return (sorted[sorted.length / 2] + sorted[(sorted.length - 1) / 2]) / 2;
  }

  /** Processors that the process takes while it has nothing to do, measured over a second. */
  private static double idleShare() throws InterruptedException {
    long cpuNs = cpuNs();
    long beganNs = System.nanoTime();
    Thread.sleep(1_000);
    return (double) (cpuNs() - cpuNs) / (System.nanoTime() - beganNs);
  }

  private static long cpuNs() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class).getProcessCpuTime();
  }
}
