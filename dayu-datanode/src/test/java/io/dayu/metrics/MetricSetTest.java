/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.metrics;

import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.junit.jupiter.api.Test;

import java.util.LinkedHashMap;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** What a set of metrics publishes. */
class MetricSetTest {
  private enum Example implements Metric {
    COUNTED(Kind.COUNTER), KEPT_ELSEWHERE(Kind.COUNTER), LEVEL(Kind.GAUGE), UNBOUND(Kind.GAUGE), TOOK(Kind.HISTOGRAM);

    private final Kind kind;

    Example(Kind kind) {
      this.kind = kind;
    }

    @Override
    public Kind kind() {
      return kind;
    }

    @Override
    public String description() {
      return name() + " of a test";
    }
  }

  private final MetricSet<Example> metrics = new MetricSet<>("Example", Example.values());

  private Map<String, Number> published() {
    MetricsCollectorImpl collector = new MetricsCollectorImpl();
    metrics.getMetrics(collector, true);
    Map<String, Number> values = new LinkedHashMap<>();
    for (AbstractMetric metric : collector.getRecords().get(0).metrics()) {
      values.put(metric.name(), metric.value());
    }
    return values;
  }

  @Test
  void metricsThatNobodyHasSetYet_are0() {
    assertEquals(Map.of("Counted", 0L, "KeptElsewhere", 0L, "Level", 0L, "Unbound", 0L, "TookCount", 0L, "TookMedian",
        0L, "TookP99", 0L, "TookMax", 0L), published());
  }

  @Test
  void values_areThoseAtTheTimeOfPublication() {
    long[] level = {7};
    metrics.counter(Example.COUNTED).inc(3);
    metrics.bind(Example.KEPT_ELSEWHERE, () -> 5);
    metrics.bind(Example.LEVEL, () -> 1);
    metrics.bind(Example.LEVEL, () -> level[0]);
    level[0] = 8;
    for (int i = 1; i <= 100; i++) {
      metrics.histogram(Example.TOOK).update(i);
    }
    Map<String, Number> values = published();
    assertEquals(3L, values.get("Counted"));
    assertEquals(5L, values.get("KeptElsewhere"));
    assertEquals(8L, values.get("Level"));
    assertEquals(100L, values.get("TookCount"));
    assertEquals(100L, values.get("TookMax"));
  }

  @Test
  void gaugeThatIsBoundAnew_hasAValueAtEachMoment() throws InterruptedException {
    metrics.bind(Example.LEVEL, () -> 1);
    Thread binding = new Thread(() -> {
      for (int i = 0; i < 20_000; i++) {
        metrics.bind(Example.LEVEL, () -> 1);
      }
    });
    binding.start();
    do {
      assertEquals(1L, published().get("Level"));
    } while (binding.isAlive());
    binding.join();
  }
}
