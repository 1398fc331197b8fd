/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
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
 * The metrics of one daemon, in a registry of Dropwizard: counters, histograms, and gauges, which are asked for their
 * values when the metrics are published. A counter that is kept elsewhere is a gauge there. Thread-safe.
 *
 * @param <M> the enum of the metrics
 */
public final class MetricSet<M extends Metric> implements MetricsSource {
  private static final String CONTEXT = "dfs";
  private static final double TAIL = 0.99;

  /** A gauge that stays in the registry when its source is replaced. */
  private static final class BoundGauge implements Gauge<Long> {
    private volatile LongSupplier value = () -> 0;

    @Override
    public Long getValue() {
      return value.getAsLong();
    }
  }

  private final String record;
  private final M[] metrics;
  private final MetricRegistry registry = new MetricRegistry();
  /** Those of the registry, without making up their names at each count. */
  private final Map<M, Counter> counters = new ConcurrentHashMap<>();

  /**
   * @param record name of the record, with which the names in {@code /prom} begin
   * @param metrics all metrics of the enum
   */
  public MetricSet(String record, M[] metrics) {
    this.record = record;
    this.metrics = metrics.clone();
  }

  public Counter counter(M metric) {
    return counters.computeIfAbsent(metric, counted -> registry.counter(counted.jmxName()));
  }

  public Histogram histogram(M metric) {
    return registry.histogram(metric.jmxName());
  }

  /**
   * Says where the value of a gauge, or of a counter that is kept elsewhere, comes from. Replaces an earlier binding; a
   * reader sees the old one or the new one.
   */
  public void bind(M metric, LongSupplier value) {
    ((BoundGauge) registry.gauge(metric.jmxName(), BoundGauge::new)).value = value;
  }

  /** The value of a counter or gauge; 0 if it was neither counted nor bound yet. */
  private long value(M metric) {
    Object found = registry.getMetrics().get(metric.jmxName());
    return found instanceof Gauge<?> gauge ? (Long) gauge.getValue()
        : found instanceof Counter counter ? counter.getCount()
        : 0;
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    MetricsRecordBuilder builder = collector.addRecord(record).setContext(CONTEXT);
    for (M metric : metrics) {
      MetricsInfo info = Interns.info(metric.jmxName(), metric.description());
      switch (metric.kind()) {
        case COUNTER -> builder.addCounter(info, value(metric));
        case GAUGE -> builder.addGauge(info, value(metric));
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
