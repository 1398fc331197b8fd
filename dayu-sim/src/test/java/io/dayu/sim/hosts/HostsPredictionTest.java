/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.hosts;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Predictions against results of the benchmark on emulated hosts with Hadoop 3.4.3. Nothing in the model was fitted to
 * the first one, which build 59d2ed4 measured. Build b035f9e9 measured the second one:
 *
 * <pre>
 * mvn -Phosts -Dhosts.modes=none,dayu,stock-default -Dhosts.seeds=1 -Dhosts.block=512k -Dhosts.data=480m \
 *   -Dhosts.limit=400s -Dhosts.none.seconds=330
 * mvn -Phosts -Dhosts.ec=rs-3-2 -Dhosts.data=120m -Dhosts.none.seconds=100 -Dhosts.limit=200s
 * </pre>
 *
 * <p>The files are reduced to what {@link HostsResultFile} reads: of an operation its kind and bytes, and of the
 * traffic of the recoveries the first second. The predictions are those of the whole files.
 */
class HostsPredictionTest {
  /** How far a prediction may be from what was measured. */
  private static final double MAX_ERROR = 0.10;
  private static final double MAX_ERROR_OF_GROUPS = 0.15;

  @TempDir
  private Path folder;

  @Test
  void recoveries_arePredictedWithinTenPercent() throws IOException {
    assertPredicted("hosts-512k.json", List.of("dayu", "stock-default"), MAX_ERROR);
  }

  @Test
  void rebuildsOfGroups_arePredictedWithinFifteenPercent() throws IOException {
    assertPredicted("hosts-groups.json", List.of("dayu", "stock-default", "stock-streams-20"), MAX_ERROR_OF_GROUPS);
  }

  private void assertPredicted(String name, List<String> modes, double maxError) throws IOException {
    Path result = folder.resolve(name);
    try (InputStream in = new GZIPInputStream(getClass().getResourceAsStream(name + ".gz"))) {
      Files.copy(in, result);
    }
    HostsResultFile file = HostsResultFile.read(result);
    assertEquals(modes, file.recoveries().stream().map(HostsResultFile.Run::mode).toList());
    for (HostsResultFile.Run run : file.recoveries()) {
      HostsPrediction prediction = HostsPrediction.of(file, run).orElseThrow();
      assertEquals(0, prediction.unfinished());
      double error = prediction.recoverySec() / run.recoverySec() - 1;
      assertTrue(Math.abs(error) < maxError, run.mode() + ": " + prediction.recoverySec() + " s predicted, "
          + run.recoverySec() + " s measured");
    }
  }
}
