/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.Settings;
import io.dayu.datanode.transfer.TestClock;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess.Volume;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** What the load says of a node that serves reads, with HDFS's counter, which moves at the end of each read. */
class DataNodeMeterTest {
  private static final long NETWORK = 125_000_000;
  private static final long BLOCK = 128 << 20;
  private static final long RATE = 16 << 20;

  private long readBytes = 7_000;
  private long servedBytes;
  private long nowNs = TestClock.START_NS;
  private final DataNodeMeter meter =
      new DataNodeMeter(() -> 0, () -> readBytes, () -> servedBytes, () -> nowNs);

  private LoadEstimator estimator() throws Exception {
    return new LoadEstimator(Settings.read(new Configuration(false)), NETWORK, meter);
  }

  /** Half a second passes; returns the foreground that is sent. */
  private long next(LoadEstimator estimator) {
    nowNs += 500_000_000;
    estimator.sample(meter.read(), 0, servedBytes, nowNs);
    return estimator.load(List.of(new Volume("a", StorageType.DISK))).orElseThrow().getForegroundOutBytesPerSec();
  }

  @Test
  void recoveryAlone_isNoForeground() throws Exception {
    LoadEstimator estimator = estimator();
    for (int i = 0; i < 400; i++) {
      servedBytes += RATE / 2;
      if (servedBytes % BLOCK == 0) {
        readBytes += BLOCK + BLOCK / 128;
      }
      assertEquals(0, next(estimator), 2, "after " + i / 2.0 + " s");
    }
  }

  @Test
  void clientsBesideRecovery_areForeground() throws Exception {
    LoadEstimator estimator = estimator();
    double sum = 0;
    for (int i = 0; i < 400; i++) {
      servedBytes += RATE / 2;
      readBytes += 1_000_000;
      if (servedBytes % BLOCK == 0) {
        readBytes += BLOCK + BLOCK / 128;
      }
      sum += next(estimator) / 400.0;
    }
    assertEquals(2_000_000, sum, 200_000, "what they read during the first block is taken for the end of its read");
  }

  @Test
  void readThatIsBrokenOff_hidesClientsForSecondsOnly() throws Exception {
    LoadEstimator estimator = estimator();
    servedBytes += BLOCK;
    long foreground = 0;
    for (int i = 0; i < 40; i++) {
      readBytes += 1_000_000;
      foreground = next(estimator);
    }
    assertEquals(2_000_000, foreground, 1_000);
  }
}
