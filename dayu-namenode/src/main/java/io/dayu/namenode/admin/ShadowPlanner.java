/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.planning.TimeslotDecision;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.TimeUnit;

/**
 * Plans each timeslot while stock HDFS recovers in shadow mode, and logs what Dayu would do: one line a timeslot at
 * INFO, one a transfer at DEBUG. Owned by the recovery loop.
 */
public final class ShadowPlanner {
  private static final Logger LOG = LoggerFactory.getLogger(ShadowPlanner.class);

  private final DryRun dryRun;
  private final Settings settings;
  private long lastNs;
  private long timeslot;

  public ShadowPlanner(DryRun dryRun, Settings settings, long nowNs) {
    this.dryRun = dryRun;
    this.settings = settings;
    this.lastNs = nowNs;
  }

  public void tick(long nowNs) {
    if (nowNs - lastNs < TimeUnit.MILLISECONDS.toNanos(settings.millis(Setting.TIMESLOT_INTERVAL))) {
      return;
    }
    lastNs = nowNs;
    DryRun.Result result = dryRun.plan(nowNs);
    TimeslotDecision decision = result.decision();
    if (decision.copies().isEmpty()) {
      return;
    }
    timeslot++;
    LOG.info(
        "Dayu (shadow): timeslot {}: would copy {} blocks, {} bytes, {} fit the horizon; would leave {} to stock; plan "
            + "{} ms",
        timeslot, decision.copies().size(), decision.plannedBytes(), decision.volumeBytes(),
        decision.forStock().size() + result.readAgain(), decision.planMs());
    for (TimeslotDecision.Copy copy : decision.copies()) {
      LOG.debug("BLOCK* Dayu (shadow): {} from {} to {} at {} bytes/s", copy.request().block(), copy.request().source(),
          copy.request().target(), copy.rateBytesPerSec());
    }
  }
}
