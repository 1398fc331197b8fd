/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.conf;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A named choice between recovery's speed and clients' quiet. Immutable. */
public enum Profile {
  /** α and B_min are as they are set. */
  NONE("none", Double.NaN, Double.NaN, false),
  GENTLE("gentle", 0.5, 0.06, false),
  BALANCED("balanced", Settings.DEFAULT_MAX_UTILIZATION, Settings.DEFAULT_MIN_RATIO, false),
  FAST("fast", 0.9, 0.25, true);

  private final String word;
  private final double maxUtilization;
  private final double minRatio;
  private final boolean unmarked;

  Profile(String word, double maxUtilization, double minRatio, boolean unmarked) {
    this.word = word;
    this.maxUtilization = maxUtilization;
    this.minRatio = minRatio;
    this.unmarked = unmarked;
  }

  /** As it is written in settings. */
  public String word() {
    return word;
  }

  /** α. */
  public double maxUtilization() {
    return maxUtilization;
  }

  /** B_min as a fraction of a node's bandwidth. */
  public double minRatio() {
    return minRatio;
  }

  /** Whether recovery's connections are in the same class of the network as clients', whatever the traffic class. */
  public boolean isUnmarked() {
    return unmarked;
  }

  /** What holds instead while blocks of the highest risk wait: these are never slower than with BALANCED. */
  Profile forHighestRisk() {
    return this == GENTLE ? BALANCED : this;
  }

  static List<String> words() {
    return Arrays.stream(values()).map(Profile::word).toList();
  }

  /** The profile of this word, in lower or upper case. */
  static Optional<Profile> of(String word) {
    return Arrays.stream(values()).filter(profile -> profile.word.equalsIgnoreCase(word)).findFirst();
  }
}
