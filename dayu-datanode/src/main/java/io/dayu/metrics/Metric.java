/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.metrics;

import java.util.Locale;

/** One metric as the documentation and {@code /prom} describe it. Implemented by enums. */
public interface Metric {
  /**
   * What kind of number it is. COUNTERs only grow; a HISTOGRAM is published as median, 99th percentile and maximum of
   * about the last five minutes.
   */
  enum Kind { COUNTER, GAUGE, HISTOGRAM }

  /** The enum constant. */
  String name();

  Kind kind();

  String description();

  /** The name in JMX: that of the enum constant in camel case. */
  default String jmxName() {
    StringBuilder name = new StringBuilder();
    for (String word : name().split("_")) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return name.toString();
  }
}
