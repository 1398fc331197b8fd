/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.tune;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

class TunedSettingsTest {

  private static Settings read(TunedSettings tuned) throws Exception {
    Configuration conf = new Configuration(false);
    tuned.properties().forEach(conf::set);
    return Settings.read(conf);
  }

  @Test
  void everythingThatIsTried_isUnderstoodByProduction_asItIsMeant() throws Exception {
    List<TunedSettings> tried = new ArrayList<>(List.of(TunedSettings.DEFAULTS));
    for (Parameter parameter : Parameter.values()) {
      for (TunedSettings coarse : parameter.coarse(TunedSettings.DEFAULTS)) {
        tried.add(coarse);
        for (Parameter other : Parameter.values()) {
          tried.addAll(other.coarse(coarse));
          tried.addAll(other.fine(coarse));
        }
      }
    }
    for (TunedSettings tuned : tried) {
      Settings settings = read(tuned);
      assertEquals(tuned.timeslotMs(), settings.millis(Setting.TIMESLOT_INTERVAL));
      assertEquals(tuned.horizonMs(), settings.millis(Setting.TIMESLOT_HORIZON));
      assertEquals(tuned.alpha(), settings.ratio(Setting.MAX_UTILIZATION));
      assertEquals(tuned.beta(), settings.ratio(Setting.UNDEREMPLOYED_RATIO));
      assertEquals(tuned.bucketBytesPerSec(), settings.bytesPerSec(Setting.BUCKET_BANDWIDTH));
    }
  }

  @Test
  void defaults_areThoseOfProduction() throws Exception {
    Settings production = Settings.read(new Configuration(false));
    assertEquals(TunedSettings.DEFAULTS, new TunedSettings(production.millis(Setting.TIMESLOT_INTERVAL),
        production.millis(Setting.TIMESLOT_HORIZON), production.ratio(Setting.MAX_UTILIZATION),
        production.ratio(Setting.UNDEREMPLOYED_RATIO), production.bytesPerSec(Setting.BUCKET_BANDWIDTH)));
    assertEquals(0, TunedSettings.DEFAULTS.differences());
    assertEquals(2, new TunedSettings(3000, 4000, 0.75, 0.05, 1_000_000).differences());
  }
}
