/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.tune;

import com.fasterxml.jackson.annotation.JsonValue;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The settings that are looked for, with the meaning, the units and the defaults of production. Immutable.
 *
 * @param timeslotMs T
 * @param horizonMs how much work is planned
 * @param alpha α of equation 1
 * @param beta β of ATC'19 §4.2
 * @param bucketBytesPerSec width of the buckets of §4.1
 */
public record TunedSettings(long timeslotMs, long horizonMs, double alpha, double beta, long bucketBytesPerSec) {
  public static final TunedSettings DEFAULTS = of(Settings.defaults());

  private static TunedSettings of(Settings settings) {
    return new TunedSettings(settings.millis(Setting.TIMESLOT_INTERVAL), settings.millis(Setting.TIMESLOT_HORIZON),
        settings.ratio(Setting.MAX_UTILIZATION), settings.ratio(Setting.UNDEREMPLOYED_RATIO),
        settings.bytesPerSec(Setting.BUCKET_BANDWIDTH));
  }

  /** How many of them are not the default. */
  public int differences() {
    return (timeslotMs != DEFAULTS.timeslotMs ? 1 : 0) + (horizonMs != DEFAULTS.horizonMs ? 1 : 0)
        + (alpha != DEFAULTS.alpha ? 1 : 0) + (beta != DEFAULTS.beta ? 1 : 0)
        + (bucketBytesPerSec != DEFAULTS.bucketBytesPerSec ? 1 : 0);
  }

  /** As in {@code hdfs-site.xml}, and in JSON. */
  @JsonValue
  public Map<String, String> properties() {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put(Setting.TIMESLOT_INTERVAL.key(), time(timeslotMs));
    properties.put(Setting.TIMESLOT_HORIZON.key(), time(horizonMs));
    properties.put(Setting.MAX_UTILIZATION.key(), plain(alpha));
    properties.put(Setting.UNDEREMPLOYED_RATIO.key(), plain(beta));
    properties.put(Setting.BUCKET_BANDWIDTH.key(), Long.toString(bucketBytesPerSec));
    return properties;
  }

  private static String time(long millis) {
    return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
  }

  private static String plain(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }
}
