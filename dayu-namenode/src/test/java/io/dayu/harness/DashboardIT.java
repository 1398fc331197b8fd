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
import org.junit.jupiter.api.Test;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Each series of the dashboard and of the alert rules is in what {@code /prom} of running daemons says. */
class DashboardIT {
  private static final Path CONF = Path.of("..").toAbsolutePath().normalize().resolve("conf");
  private static final Pattern SERIES = Pattern.compile("\\b[a-z][a-z0-9]*_[a-z0-9_]+(?=\\{)");
  private static final Pattern METRIC = Pattern.compile("\\bdayu_[a-z0-9_]+");
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static Set<String> find(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(one -> one.group()).collect(Collectors.toCollection(TreeSet::new));
  }

  private static String get(int port) throws Exception {
    HttpResponse<String> answer = HttpClient.newHttpClient().send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/prom")).timeout(LIMIT)
            .version(HttpClient.Version.HTTP_1_1).build(),
        HttpResponse.BodyHandlers.ofString());
    assertEquals(200, answer.statusCode());
    return answer.body();
  }

  @Test
  void eachSeries_isPublished() throws Exception {
    StringBuilder queries = new StringBuilder();
    JsonNode board = new ObjectMapper().readTree(CONF.resolve("grafana/dayu-dashboard.json").toFile());
    board.path("panels").forEach(panel -> panel.path("targets").forEach(
        target -> queries.append(target.path("expr").asText()).append('\n')));
    Set<String> wanted = find(SERIES, queries.toString());
    assertTrue(wanted.size() > 40, wanted::toString);
    wanted.addAll(find(METRIC, Files.readString(CONF.resolve("prometheus/dayu-alerts.yml"))));
    try (DayuCluster cluster =
        DayuCluster.builder().dataNodes(3).conf("hadoop.prometheus.endpoint.enabled", "true").start()) {
      Set<String> missing = new TreeSet<>(wanted);
      Await.until("each series is in /prom", LIMIT, () -> {
        missing.removeAll(find(SERIES, get(cluster.nameNode().getHttpAddress().getPort())));
        missing.removeAll(find(SERIES, get(cluster.dataNode(0).getInfoPort())));
        return missing.isEmpty();
      }, missing::toString);
    }
  }
}
