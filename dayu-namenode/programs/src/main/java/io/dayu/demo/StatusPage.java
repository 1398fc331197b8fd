/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.dayu.harness.Await;
import io.dayu.harness.DayuCluster;
import org.apache.hadoop.net.NetUtils;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;

/**
 * The web page of Dayu on the NameNode. Immutable.
 *
 * @param address of the page
 */
record StatusPage(URI address) {
  private static final Duration END_LIMIT = Duration.ofSeconds(60);

  static StatusPage of(DayuCluster cluster) {
    return new StatusPage(
        URI.create("http://" + NetUtils.getHostPortString(cluster.nameNode().getHttpAddress()) + "/dayu/"));
  }

  /**
   * By how much the first estimate of the largest recovery's time was wrong, in percent; not a number if the recovery
   * was too short for one. The last recovery may be that of a file that clients were writing.
   */
  double firstEstimateErrorPercent() throws Exception {
    Await.until("the end of the recovery", END_LIMIT, () -> !largestRecovery(history()).path("active").asBoolean(true));
    double error = largestRecovery(history()).path("etaError").asDouble(-1);
    return error < 0 ? Double.NaN : 100 * error;
  }

  private JsonNode history() throws IOException {
    return new ObjectMapper().readTree(address.resolve("api/v1/history").toURL());
  }

  /** Of the page's history, the recovery that copied most blocks; a missing node if there is none. */
  static JsonNode largestRecovery(JsonNode history) {
    JsonNode largest = MissingNode.getInstance();
    for (JsonNode one : history.path("recoveries")) {
      largest = one.path("blocksDone").asLong() > largest.path("blocksDone").asLong(-1) ? one : largest;
    }
    return largest;
  }
}
