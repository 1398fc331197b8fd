/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.datanode.transfer.NodeShaper;
import io.dayu.datanode.transfer.Poll;
import io.dayu.datanode.transfer.ServedReads;
import io.dayu.datanode.transfer.StarvedClass;
import io.dayu.protocol.DayuProtos.LoadProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess.Volume;
import org.apache.hadoop.test.MetricsAsserts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** What the agent's timer does in a DataNode that has no NameNode yet. */
@Timeout(60)
class AgentTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long NETWORK = 1_000_000;

  @Test
  void errorWhileMeasuring_leavesTheForegroundUnknown_andDoesNotEndTheMeasurements() throws Exception {
    List<Volume> volumes = List.of(new Volume("DS-1", StorageType.DISK));
    DataNodeAccess node = mock(DataNodeAccess.class);
    when(node.conf()).thenReturn(new Configuration(false));
    AtomicBoolean broken = new AtomicBoolean();
    // Stubbed once: the agent's timer calls it from now on.
    when(node.volumes()).thenAnswer(call -> {
      if (broken.get()) {
        throw new NoClassDefFoundError("a jar that was replaced");
      }
      return volumes;
    });
    BandwidthMeter meter = mock(BandwidthMeter.class);
    when(meter.read()).thenReturn(new BandwidthMeter.Counters(0, 0));
    when(meter.sharedId()).thenReturn(OptionalLong.empty());
    try (Agent agent = new Agent(node, Settings.read(new Configuration(false)), "1.0", meter,
        new NetworkBandwidth(NETWORK, false), new ServedReads())) {
      agent.start();
      Poll.until("an idle node", LIMIT, () -> foregroundIn(agent) == 0, agent::load);
      broken.set(true);
      Poll.until("only B_min is left", LIMIT, () -> foregroundIn(agent) == NETWORK * 88 / 100, agent::load);
      broken.set(false);
      Poll.until("an idle node again", LIMIT, () -> foregroundIn(agent) == 0, agent::load);
    }
  }

  private static long starved() {
    return MetricsAsserts.getLongGauge("LowerEffortStarved", MetricsAsserts.getMetrics("DayuAgent"));
  }

  @Test
  void starvedClass_isAMetric() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set(Setting.TRAFFIC_CLASS.key(), "lower-effort");
    Settings settings = Settings.read(conf);
    DataNodeAccess node = mock(DataNodeAccess.class);
    when(node.conf()).thenReturn(conf);
    when(node.volumes()).thenReturn(List.of());
    BandwidthMeter meter = mock(BandwidthMeter.class);
    when(meter.read()).thenReturn(new BandwidthMeter.Counters(0, 0));
    when(meter.sharedId()).thenReturn(OptionalLong.empty());
    NodeShaper shaper = new NodeShaper(settings, 1, NETWORK);
    try (Agent agent =
        new Agent(node, settings, "1.0", meter, new NetworkBandwidth(NETWORK, false), new ServedReads(), shaper)) {
      agent.start();
      assertEquals(0, starved());
      StarvedClass.proveTo(shaper);
      assertEquals(1, starved());
    }
  }

  private static long foregroundIn(Agent agent) {
    return agent.load().map(LoadProto::getForegroundInBytesPerSec).orElse(-1L);
  }
}
