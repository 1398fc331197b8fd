/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.schedule.AlgorithmRegistry;
import io.dayu.schedule.choice.TieBreak;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The settings that choose the scheduler's algorithms, against the registry of these. */
class SchedulerSettingsTest {

  private static Settings settings(String targets, String rates) throws BadSettingException {
    Configuration conf = new Configuration(false);
    conf.set("dayu.scheduler.targets", targets);
    conf.set("dayu.scheduler.rates", rates);
    return Settings.read(conf);
  }

  @Test
  void words_areThoseOfTheRegistry_andTheDefaultsItsFirst() {
    assertEquals(AlgorithmRegistry.targetSelectors(), List.of(Setting.TARGETS.unit().split(" \\| ")));
    assertEquals(AlgorithmRegistry.rateAllocators(), List.of(Setting.RATES.unit().split(" \\| ")));
    assertEquals(AlgorithmRegistry.forecasts(), List.of(Setting.FORECAST.unit().split(" \\| ")));
    assertEquals(TieBreak.names(), List.of(Setting.TIE_BREAK.unit().split(" \\| ")));
    assertEquals(TieBreak.names().get(0), Setting.TIE_BREAK.defaultText());
    assertEquals(AlgorithmRegistry.forecasts().get(0), Setting.FORECAST.defaultText());
    assertEquals(AlgorithmRegistry.targetSelectors().get(0), Setting.TARGETS.defaultText());
    assertEquals(AlgorithmRegistry.rateAllocators().get(0), Setting.RATES.defaultText());
  }

  @Test
  void everyWord_makesTheSchedulerOfThatName() throws BadSettingException {
    assertEquals("dayu", NameNodeRuntime.scheduler(Settings.read(new Configuration(false))).name());
    for (String targets : AlgorithmRegistry.targetSelectors()) {
      for (String rates : AlgorithmRegistry.rateAllocators()) {
        boolean own = targets.equals("tournament") && rates.equals("filling");
        assertEquals(own ? "dayu" : "dayu(" + targets + ", " + rates + ")",
            NameNodeRuntime.scheduler(settings(targets, rates)).name());
      }
    }
  }

  @Test
  void unknownWord_isRefused_andTheKnownOnesNamed() {
    String message = assertThrows(BadSettingException.class, () -> settings("hul", "filling")).getMessage();
    assertTrue(message.contains("dayu.scheduler.targets")
        && message.contains(String.join(", ", AlgorithmRegistry.targetSelectors())), message);
    message = assertThrows(BadSettingException.class, () -> settings("hull", "fill")).getMessage();
    assertTrue(message.contains("dayu.scheduler.rates")
        && message.contains(String.join(", ", AlgorithmRegistry.rateAllocators())), message);
  }
}
