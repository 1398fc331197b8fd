/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Histogram;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Snapshot;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.Interns;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The metrics of one daemon. Counters and histograms are kept here; gauges, and counters that are kept elsewhere, are
 * asked for when the metrics are published. Thread-safe.
 *
 * @param <M> the enum of the metrics
 */
public final class MetricSet<M extends Metric> implements MetricsSource {
  private static final String CONTEXT = "dfs";
  private static final double TAIL = 0.99;

  private final String record;
  private final M[] metrics;
  private final MetricRegistry registry = new MetricRegistry();
  private final Map<M, LongSupplier> elsewhere = new ConcurrentHashMap<>();

  /**
   * @param record name of the record, with which the names in {@code /prom} begin
   * @param metrics all metrics of the enum
   */
  public MetricSet(String record, M[] metrics) {
    this.record = record;
    this.metrics = metrics.clone();
  }

  public Counter counter(M metric) {
    return registry.counter(metric.jmxName());
  }

  public Histogram histogram(M metric) {
    return registry.histogram(metric.jmxName());
  }

  /** Says where the value of a gauge, or of a counter that is kept elsewhere, comes from. */
  public void bind(M metric, LongSupplier value) {
    elsewhere.put(metric, value);
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    MetricsRecordBuilder builder = collector.addRecord(record).setContext(CONTEXT);
    for (M metric : metrics) {
      LongSupplier value = elsewhere.get(metric);
      MetricsInfo info = Interns.info(metric.jmxName(), metric.description());
      switch (metric.kind()) {
        case COUNTER -> builder.addCounter(info, value == null ? counter(metric).getCount() : value.getAsLong());
        case GAUGE -> builder.addGauge(info, value == null ? 0 : value.getAsLong());
        case HISTOGRAM -> addHistogram(builder, metric);
      }
    }
  }

  private void addHistogram(MetricsRecordBuilder builder, M metric) {
    Snapshot snapshot = histogram(metric).getSnapshot();
    String name = metric.jmxName();
    builder.addCounter(Interns.info(name + "Count", "How many values: " + metric.description()),
        histogram(metric).getCount());
    builder.addGauge(Interns.info(name + "Median", "Median: " + metric.description()),
        Math.round(snapshot.getMedian()));
    builder.addGauge(Interns.info(name + "P99", "99th percentile: " + metric.description()),
        Math.round(snapshot.getValue(TAIL)));
    builder.addGauge(Interns.info(name + "Max", "Maximum: " + metric.description()), snapshot.getMax());
  }
}
