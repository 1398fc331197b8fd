/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.protocol.PrintableText;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The reasons that DataNodes gave lately for having no agent that reports, for {@code -status}. A reason is noted only
 * if its caller is known to be the DataNode. Bounded. Thread-safe.
 */
public final class MissingAgentReasons {
  /** An agent that is refused, or a plugin without one, calls again within this time. */
  static final long MAX_AGE_NS = TimeUnit.MINUTES.toNanos(2);
  static final int MAX_NODES = 20_000;
  private static final int MAX_REASON = 300;

  private record Reason(String text, long atNs) {
    boolean isOld(long nowNs) {
      return nowNs - atNs > MAX_AGE_NS;
    }
  }

  private final Map<String, Reason> byUuid = new ConcurrentHashMap<>();

  /** Notes why this DataNode has no agent that reports. */
  void add(String uuid, String reason, long nowNs) {
    if (byUuid.size() >= MAX_NODES) {
      byUuid.values().removeIf(latest -> latest.isOld(nowNs));
    }
    if (byUuid.size() < MAX_NODES || byUuid.containsKey(uuid)) {
      byUuid.put(uuid, new Reason(PrintableText.of(reason, MAX_REASON), nowNs));
    }
  }

  /** Notes that a report of this DataNode was accepted. */
  void remove(String uuid) {
    byUuid.remove(uuid);
  }

  /** Why this DataNode has no agent that reports, or null if it has not called of late. */
  public String reason(String uuid, long nowNs) {
    Reason latest = byUuid.get(uuid);
    return latest == null || latest.isOld(nowNs) ? null : latest.text;
  }
}
