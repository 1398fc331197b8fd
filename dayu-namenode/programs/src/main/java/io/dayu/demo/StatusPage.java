/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.harness.Await;
import io.dayu.harness.DayuCluster;
import io.dayu.programs.LargestRecovery;
import org.apache.hadoop.net.NetUtils;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

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

  /** By how much the first estimate of the recovery's time was wrong, in percent; not a number if there was none. */
  double firstEstimateErrorPercent() throws Exception {
    Await.until("the end of the recovery", END_LIMIT, () -> !recovery().map(LargestRecovery::active).orElse(false));
    return recovery().map(LargestRecovery::etaErrorPercent).filter(error -> error >= 0).orElse(Double.NaN);
  }

  private Optional<LargestRecovery> recovery() throws IOException {
    return LargestRecovery.in(new ObjectMapper().readTree(address.resolve("api/v1/history").toURL()));
  }
}
