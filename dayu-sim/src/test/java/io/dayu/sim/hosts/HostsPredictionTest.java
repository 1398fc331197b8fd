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
 * Predictions against a result of the benchmark on emulated hosts. Build 59d2ed4 with Hadoop 3.4.3 measured it, and
 * nothing in the model was fitted to it:
 *
 * <pre>
 * mvn -Phosts -Dhosts.modes=none,dayu,stock-default -Dhosts.seeds=1 -Dhosts.block=512k -Dhosts.data=480m \
 *   -Dhosts.limit=400s -Dhosts.none.seconds=330
 * </pre>
 *
 * <p>The file is reduced to what {@link HostsResultFile} reads: of an operation its kind and bytes, and of the traffic
 * of the two recoveries the first second. The predictions are those of the whole file.
 */
class HostsPredictionTest {
  /** How far a prediction may be from what was measured. */
  private static final double MAX_ERROR = 0.10;

  @Test
  void recoveries_arePredictedWithinTenPercent(@TempDir Path folder) throws IOException {
    Path result = folder.resolve("hosts-512k.json");
    try (InputStream in = new GZIPInputStream(getClass().getResourceAsStream("hosts-512k.json.gz"))) {
      Files.copy(in, result);
    }
    HostsResultFile file = HostsResultFile.read(result);
    assertEquals(List.of("dayu", "stock-default"), file.recoveries().stream().map(HostsResultFile.Run::mode).toList());
    for (HostsResultFile.Run run : file.recoveries()) {
      HostsPrediction prediction = HostsPrediction.of(file, run).orElseThrow();
      assertEquals(0, prediction.unfinished());
      double error = prediction.recoverySec() / run.recoverySec() - 1;
      assertTrue(Math.abs(error) < MAX_ERROR, run.mode() + ": " + prediction.recoverySec() + " s predicted, "
          + run.recoverySec() + " s measured");
    }
  }
}
