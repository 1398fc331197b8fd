/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.protocol.DayuProtos.ReportProto.Marking;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** α and B_min as {@link NodeShaper} has them. */
class NodeShaperTest {
  private static final long NETWORK = 1_000_000;

  private long nowNs = TestClock.START_NS;

  @Test
  void minimumBandwidth_isThatOfAShare_whereDataNodesShareTheNetwork_unlessItIsSet() throws BadSettingException {
    NodeShaper shaper = new NodeShaper(Settings.read(new Configuration(false)), 1, NETWORK);
    assertEquals(120_000, shaper.minBytesPerSec(0), 1e-6);
    shaper.setSharers(3);
    assertEquals(40_000, shaper.minBytesPerSec(0), 1);
    assertEquals(70_000, shaper.minBytesPerSec(70_000), 1e-6);
  }

  @Test
  void meterIsRead_asOftenAsPacketsPass_onASlowLink() throws BadSettingException {
    Settings settings = Settings.read(new Configuration(false));
    assertEquals(20, new NodeShaper(settings, 1, NETWORK).readingIntervalMs());
    assertEquals(13, new NodeShaper(settings, 1, 5_000_000).readingIntervalMs());
    assertEquals(10, new NodeShaper(settings, 1, 125_000_000).readingIntervalMs());
  }

  @Test
  void change_namesTheSettingsThatChanged_andNotTheShareOfTheNetwork() throws BadSettingException {
    NodeShaper shaper = new NodeShaper(Settings.read(new Configuration(false)), 1, NETWORK);
    assertEquals("", shaper.change(0.75, 0));
    shaper.setSharers(4);
    assertEquals("", shaper.change(0.75, 0), "others share the network");
    assertEquals("dayu.recovery.max-utilization changed from 0.75 to 0.6", shaper.change(0.6, 0));
    shaper.setLimits(0.6, 0);
    assertEquals("dayu.recovery.min.bandwidthPerSec changed from 0 to 70000", shaper.change(0.6, 70_000));
    shaper.setLimits(0.6, 70_000);
    assertEquals("", shaper.change(0.6, 70_000));
  }

  @Test
  void linksThatLetClientsGoFirst_areFilled_whereTheHostMarksAllOfItsTraffic() throws BadSettingException {
    Configuration conf = new Configuration(false);
    conf.set(Setting.TRAFFIC_CLASS.key(), "lower-effort-honoured");
    Settings settings = Settings.read(conf);
    NodeShaper marking = new NodeShaper(settings, 1, NETWORK, new LowerEffort(true, "true", "1"), () -> nowNs);
    assertEquals(0.95, marking.meanUtilization(0.95));
    assertEquals(1, marking.peakUtilization(0.95));
    NodeShaper partly = new NodeShaper(settings, 1, NETWORK, new LowerEffort(true, "true", "0"), () -> nowNs);
    assertEquals(0.75, partly.meanUtilization(0.95), "what it sends shares clients' queues");
    assertEquals(0.95, partly.peakUtilization(0.95), 1e-9);
    assertEquals(0.9, partly.meanUtilization(0.9), "set by an admin meanwhile");
    conf.set(Setting.MAX_UTILIZATION.key(), "0.95");
    NodeShaper set = new NodeShaper(Settings.read(conf), 1, NETWORK, new LowerEffort(true, "true", "0"), () -> nowNs);
    assertEquals(0.95, set.meanUtilization(0.95), "an admin has set it");
  }

  private NodeShaper marking() throws BadSettingException {
    Configuration conf = new Configuration(false);
    conf.set(Setting.TRAFFIC_CLASS.key(), "lower-effort-honoured");
    return new NodeShaper(Settings.read(conf), 1, NETWORK, new LowerEffort(true, "true", "1"), () -> nowNs);
  }

  /** What recovery alone gets of a link in the long run. */
  private double share(NodeShaper shaper) {
    long passed = 0;
    long before = 0;
    for (int ms = 0; ms < 120_000; ms++) {
      before = ms == 100_000 ? passed : before;
      if (ms % 20 == 0) {
        shaper.metered(passed, 0, nowNs);
      }
      while (shaper.in().tryAcquire(1_000, false, nowNs) <= 0) {
        passed += 1_000;
      }
      nowNs += 1_000_000;
    }
    return (passed - before) / 20.0 / NETWORK;
  }

  @Test
  void starvedClass_isShapedAsOnAnUnmarkedHost_whileThePauseLasts() throws BadSettingException {
    NodeShaper shaper = marking();
    StarvedClass.proveTo(shaper);
    assertTrue(shaper.isStarved());
    assertNull(shaper.marking());
    shaper.metered(0, 0, nowNs);
    assertEquals(0.75, shaper.meanUtilization(0.95));
    assertEquals(0.95, shaper.peakUtilization(0.95), 1e-9);
    nowNs += LowerEffortPause.PAUSE_NS;
    assertFalse(shaper.isStarved());
    assertNotNull(shaper.marking());
    shaper.metered(0, 0, nowNs);
    assertEquals(0.95, shaper.meanUtilization(0.95));
    assertEquals(1, shaper.peakUtilization(0.95));
  }

  private Optional<Marking> reported(String trafficClass, LowerEffort lowerEffort) throws BadSettingException {
    Configuration conf = new Configuration(false);
    conf.set(Setting.TRAFFIC_CLASS.key(), trafficClass);
    return new NodeShaper(Settings.read(conf), 1, NETWORK, lowerEffort, () -> nowNs).reportedMarking();
  }

  @Test
  void hostThatCannotMarkAllOfItsTraffic_reportsIt() throws BadSettingException {
    assertEquals(Optional.empty(), reported("none", new LowerEffort(false, "not set", "0")));
    for (String trafficClass : List.of("lower-effort", "lower-effort-honoured")) {
      assertEquals(Optional.of(Marking.MARKS), reported(trafficClass, new LowerEffort(true, "true", "1")));
      assertEquals(Optional.of(Marking.CANNOT_MARK), reported(trafficClass, new LowerEffort(true, "not set", "1")));
      assertEquals(Optional.of(Marking.CANNOT_MARK), reported(trafficClass, new LowerEffort(true, "true", "0")));
    }
  }

  @Test
  void refusalOfTheKernel_isReportedWhileNothingIsMarked() throws BadSettingException {
    NodeShaper shaper = marking();
    shaper.marking().refused("Operation not permitted");
    assertEquals(Optional.of(Marking.CANNOT_MARK), shaper.reportedMarking());
    nowNs += LowerEffortPause.PAUSE_NS;
    assertEquals(Optional.of(Marking.MARKS), shaper.reportedMarking());
  }

  @Test
  void starvedClass_isReportedWhileThePauseLasts() throws BadSettingException {
    NodeShaper shaper = marking();
    StarvedClass.proveTo(shaper);
    assertEquals(Optional.of(Marking.STARVED), shaper.reportedMarking());
    nowNs += LowerEffortPause.PAUSE_NS;
    assertEquals(Optional.of(Marking.MARKS), shaper.reportedMarking());
  }

  @Test
  void nameNodeThatWantsNothingMarked_isNoFaultOfTheHost() throws BadSettingException {
    NodeShaper shaper = marking();
    shaper.setUnmarked(true);
    assertEquals(Optional.of(Marking.MARKS), shaper.reportedMarking());
  }

  @Test
  void linksFollowThePause() throws BadSettingException {
    assertEquals(0.95, share(marking()), 0.03);
    NodeShaper starved = marking();
    StarvedClass.proveTo(starved);
    assertEquals(0.75, share(starved), 0.03);
  }

  @Test
  void nameNodeThatWantsNothingMarked_isObeyedAtOnce() throws BadSettingException {
    NodeShaper shaper = marking();
    shaper.setUnmarked(true);
    assertNull(shaper.marking());
    assertFalse(shaper.isStarved());
    assertEquals(0.95, shaper.peakUtilization(0.95), 1e-9);
    shaper.setUnmarked(false);
    assertNotNull(shaper.marking());
    assertEquals(1, shaper.peakUtilization(0.95));
  }
}
