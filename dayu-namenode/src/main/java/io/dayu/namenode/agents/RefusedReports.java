/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Agents whose reports were refused of late, and why, for people. Only a caller that is known to be the DataNode is
 * noted. Bounded. Thread-safe.
 */
public final class RefusedReports {
  /** An agent that is refused tries again several times within this time. */
  static final long MAX_AGE_NS = TimeUnit.MINUTES.toNanos(2);
  static final int MAX_AGENTS = 20_000;
  private static final int MAX_REASON = 300;

  private record Refusal(String reason, long atNs) {
    boolean isOld(long nowNs) {
      return nowNs - atNs > MAX_AGE_NS;
    }
  }

  private final Map<String, Refusal> byUuid = new ConcurrentHashMap<>();

  /** Notes that a report of this DataNode was refused. */
  void add(String uuid, String reason, long nowNs) {
    if (byUuid.size() >= MAX_AGENTS) {
      byUuid.values().removeIf(refusal -> refusal.isOld(nowNs));
    }
    if (byUuid.size() < MAX_AGENTS || byUuid.containsKey(uuid)) {
      byUuid.put(uuid, new Refusal(reason.substring(0, Math.min(MAX_REASON, reason.length())), nowNs));
    }
  }

  /** Notes that a report of this DataNode was accepted. */
  void remove(String uuid) {
    byUuid.remove(uuid);
  }

  /** Why the reports of this DataNode are refused, or null if none was of late. */
  public String reason(String uuid, long nowNs) {
    Refusal refusal = byUuid.get(uuid);
    return refusal == null || refusal.isOld(nowNs) ? null : refusal.reason;
  }
}
