/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.util.HashMap;
import java.util.Map;

/** Which hosts a fault is hitting, or has hit a moment ago. Thread-safe. */
final class DisturbedHosts {
  /** A DataNode that is started or connected again needs some time until the NameNode counts on it. */
  private static final long GRACE_MS = 20_000;

  private final Map<String, Integer> faults = new HashMap<>();
  private final Map<String, Long> endsAtMs = new HashMap<>();

  synchronized void begin(String host) {
    faults.merge(host, 1, Integer::sum);
  }

  synchronized void end(String host, long nowMs) {
    faults.merge(host, -1, Integer::sum);
    endsAtMs.put(host, nowMs);
  }

  /** Whether nothing is wrong with the host, and has not been for a while. */
  synchronized boolean isCalm(String host, long nowMs) {
    return faults.getOrDefault(host, 0) == 0
        && nowMs - endsAtMs.getOrDefault(host, Long.MIN_VALUE / 2) > GRACE_MS;
  }
}
