/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.datanode.AgentMetric;
import io.dayu.metrics.Metric;
import io.dayu.metrics.MetricSet;
import io.dayu.namenode.status.RecoveryMetric;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.sink.PrometheusMetricsSink;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Holds {@code docs/metrics.md}, the alert rules and the dashboard against the metrics that are published. */
class MetricsDocumentationTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path ALERTS = ROOT.resolve("conf/prometheus/dayu-alerts.yml");
  private static final Pattern NAME = Pattern.compile("\\bdayu_[a-z0-9_]+");

  /** One row of the table for each published metric, as Hadoop names it. */
  private static <M extends Metric> List<String> rows(String record, M[] metrics) {
    MetricsCollectorImpl collector = new MetricsCollectorImpl();
    new MetricSet<>(record, metrics).getMetrics(collector, true);
    MetricsRecord published = collector.getRecords().get(0);
    List<String> rows = new ArrayList<>();
    for (AbstractMetric metric : published.metrics()) {
      rows.add(
          "| `" + metric.name() + "` | `" + new PrometheusMetricsSink().prometheusName(published.name(), metric.name())
              + "` | " + metric.type().name().toLowerCase(Locale.ROOT) + " | " + metric.description() + " |");
    }
    return rows;
  }

  private static List<String> all() {
    List<String> rows = rows("Dayu", RecoveryMetric.values());
    rows.addAll(rows("DayuAgent", AgentMetric.values()));
    return rows;
  }

  @Test
  void metricsPage_holdsOneRowForEachMetric() throws Exception {
    List<String> found =
        Files.readAllLines(ROOT.resolve("docs/metrics.md")).stream().filter(line -> line.contains("| `dayu_")).toList();
    assertEquals(String.join("\n", all()), String.join("\n", found));
  }

  @Test
  void rulesAndDashboard_nameOnlyMetricsThatThereAre() throws Exception {
    Set<String> known = names(String.join("\n", all()));
    for (String file : List.of("conf/prometheus/dayu-alerts.yml", "conf/grafana/dayu-dashboard.json")) {
      Set<String> used = names(Files.readString(ROOT.resolve(file)));
      assertTrue(used.size() > 5, used::toString);
      used.removeAll(known);
      assertEquals(Set.of(), used, file);
    }
  }

  @Test
  void eachAlert_hasARowThatSaysItsTime() throws Exception {
    String page = Files.readString(ROOT.resolve("docs/metrics.md"));
    Map<String, List<String>> rules = sections(Files.readString(ALERTS), "- alert: ");
    assertEquals(10, rules.size(), rules::toString);
    rules.forEach((alert, texts) -> {
      Matcher time = Pattern.compile("for: (?<minutes>\\d+)m\n|_seconds > (?<seconds>\\d+)\n").matcher(texts.get(0));
      assertTrue(time.find(), () -> alert + " has no time");
      long minutes = time.group("minutes") != null ? Long.parseLong(time.group("minutes"))
          : TimeUnit.SECONDS.toMinutes(Long.parseLong(time.group("seconds")));
      String row = page.lines().filter(line -> line.startsWith("| `" + alert + "` |")).findFirst().orElse("");
      assertTrue(row.contains(" " + minutes + " minutes"), () -> alert + ", " + minutes + " minutes: " + row);
    });
  }

  /** promtool runs these tests, see docs/metrics.md. */
  @Test
  void eachAlert_isTestedWhereItFiresAndWhereItDoesNot() throws Exception {
    Set<String> alerts = sections(Files.readString(ALERTS), "- alert: ").keySet();
    Map<String, List<String>> cases = sections(
        Files.readString(ROOT.resolve("dayu-namenode/src/test/prometheus/dayu-alerts-test.yml")), "- alertname: ");
    assertEquals(alerts, cases.keySet());
    cases.forEach((alert, texts) -> {
      long silent = texts.stream().filter(text -> text.contains("exp_alerts: []\n")).count();
      assertTrue(silent > 0 && silent < texts.size(), () -> alert + ": " + texts);
    });
  }

  /** What follows each {@code begin} up to the next one, by the word after it. */
  private static Map<String, List<String>> sections(String text, String begin) {
    Map<String, List<String>> sections = new TreeMap<>();
    String[] parts = text.split(begin);
    for (int i = 1; i < parts.length; i++) {
      String[] nameAndRest = parts[i].split("\n", 2);
      sections.computeIfAbsent(nameAndRest[0], name -> new ArrayList<>()).add(nameAndRest[1]);
    }
    return sections;
  }

  private static JsonNode panels() throws Exception {
    return new ObjectMapper().readTree(ROOT.resolve("conf/grafana/dayu-dashboard.json").toFile()).path("panels");
  }

  /** What the targets of a panel ask for. */
  private static List<String> queries(JsonNode panel) {
    List<String> queries = new ArrayList<>();
    panel.path("targets").forEach(target -> queries.add(target.path("expr").asText()));
    return queries;
  }

  @Test
  void dashboard_isJsonWithTargetsInEachPanel() throws Exception {
    for (JsonNode panel : panels()) {
      assertTrue(panel.path("targets").size() > 0, panel::toString);
    }
  }

  @Test
  void eachSeriesOfTheDashboard_isOfTheSelectedCluster_andNameNode() throws Exception {
    Pattern series = Pattern.compile("dayu_\\w+(?<labels>\\{[^}]*})?");
    for (JsonNode panel : panels()) {
      for (String query : queries(panel)) {
        Matcher one = series.matcher(query);
        while (one.find()) {
          String labels = String.valueOf(one.group("labels"));
          assertTrue(labels.contains("cluster=~\"$cluster\""), query);
          assertTrue(one.group().startsWith("dayu_agent_") || labels.contains("instance=~\"$instance\""), query);
        }
      }
    }
  }

  /** A cause that is left out reads as if there were no such transfers. */
  @Test
  void panelsByCause_haveEachCause() throws Exception {
    List<String> all = new ArrayList<>();
    panels().forEach(panel -> all.addAll(queries(panel)));
    for (RecoveryMetric metric : RecoveryMetric.values()) {
      // The last one is not a cause: it counts transfers of all causes.
      if (metric.name().matches("TRANSFERS_(REJECTED|FAILED)_.*")
          && metric != RecoveryMetric.TRANSFERS_FAILED_AT_TARGET) {
        String name = "dayu_" + metric.name().toLowerCase(Locale.ROOT) + "{";
        assertTrue(all.stream().anyMatch(query -> query.contains(name)), name);
      }
    }
  }

  private static Set<String> names(String text) {
    Set<String> names = new TreeSet<>();
    Matcher matcher = NAME.matcher(text);
    while (matcher.find()) {
      names.add(matcher.group());
    }
    return names;
  }
}
