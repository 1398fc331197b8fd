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
import io.dayu.schedule.AlgorithmProvider;
import io.dayu.schedule.AlgorithmRegistry;
import io.dayu.schedule.DayuScheduler;
import io.dayu.schedule.PlanningAlgorithm;
import io.dayu.schedule.choice.BucketScan;
import io.dayu.schedule.choice.TieBreak;
import io.dayu.schedule.rates.ProgressiveFilling;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The algorithm and the order of ties that settings name. */
class SchedulerSettingsTest {

  /** An algorithm as anybody may bring one. */
  public static final class Foreign implements AlgorithmProvider {
    @Override
    public PlanningAlgorithm algorithm() {
      return new PlanningAlgorithm(
          () -> new DayuScheduler("foreign", new BucketScan(), new ProgressiveFilling()));
    }
  }

  private static PlanningAlgorithm algorithm(String name) throws BadSettingException {
    Configuration conf = new Configuration(false);
    conf.set("dayu.scheduler.algorithm", name);
    return NameNodeRuntime.algorithm(Settings.read(conf));
  }

  @Test
  void words_areThoseOfTheRegistry_andTheDefaultsItsFirst() {
    assertEquals(String.join(" | ", AlgorithmRegistry.names()) + " | class name", Setting.ALGORITHM.unit());
    assertEquals(AlgorithmRegistry.names().get(0), Setting.ALGORITHM.defaultText());
    assertEquals(TieBreak.names(), List.of(Setting.TIE_BREAK.unit().split(" \\| ")));
    assertEquals(TieBreak.names().get(0), Setting.TIE_BREAK.defaultText());
  }

  @Test
  void word_choosesSchedulerForecastOrderAndWhetherRatesAreHeld() throws BadSettingException {
    PlanningAlgorithm dayu = algorithm("dayu");
    assertEquals("dayu", dayu.newScheduler().name());
    assertEquals("recent", dayu.newForecast().name());
    assertFalse(dayu.holdsRates());
    assertTrue(dayu.pressedSourcesFirst());
    PlanningAlgorithm paper = algorithm("paper");
    assertEquals("paper", paper.newScheduler().name());
    assertEquals("last", paper.newForecast().name());
    assertTrue(paper.holdsRates());
    assertFalse(paper.pressedSourcesFirst());
  }

  @Test
  void className_choosesAnybodysAlgorithm() throws BadSettingException {
    PlanningAlgorithm foreign = algorithm(Foreign.class.getName());
    assertEquals("foreign", foreign.newScheduler().name());
    assertEquals("recent", foreign.newForecast().name());
  }

  @Test
  void unknownWordOrClass_isRefused_andWhatIsExpectedNamed() {
    String message = assertThrows(BadSettingException.class, () -> algorithm("papers")).getMessage();
    assertTrue(message.contains("'papers'") && message.contains("dayu, paper or the full name of a class"), message);
    for (String name : List.of("com.example.Missing", SchedulerSettingsTest.class.getName())) {
      message = assertThrows(IllegalStateException.class, () -> algorithm(name)).getMessage();
      assertTrue(message.startsWith("setting dayu.scheduler.algorithm is not valid: no algorithm '" + name
          + "': expected dayu, paper or a public class that implements io.dayu.schedule.AlgorithmProvider"), message);
      assertEquals(1, message.lines().count());
    }
  }
}
