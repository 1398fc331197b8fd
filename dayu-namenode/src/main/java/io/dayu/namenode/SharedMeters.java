/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.protocol.DayuProtos.LoadProto;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Agents whose meters count the same traffic: those of DataNodes on one host. Each of them reports the whole network as
 * its own, and counts the recovery of the others as foreground. This class subtracts the recovery of the others, and
 * divides network and foreground equally, so that together they have the host's bandwidth once. Owned by the recovery
 * loop; not thread-safe.
 *
 * <p>The others' recovery is that of their last reports, a few seconds old at most. Where it has just ended, too much
 * is subtracted until they report again. The agents' own shaping sees all traffic at every moment.
 */
final class SharedMeters {
  /** An agent that has not reported for so long shares nothing: longer than any interval between reports. */
  private static final long MAX_SILENCE_NS = TimeUnit.MINUTES.toNanos(3);

  private record Reported(LoadProto load, long atNs) {
  }

  /** By meter, then by the UUID of the agent's DataNode. */
  private final Map<Long, Map<String, Reported>> meters = new HashMap<>();
  private final Map<String, Long> meterOf = new HashMap<>();

  /** Takes note of what an agent reports, and forgets those on the same meter that are silent. */
  void learn(String uuid, LoadProto load, long nowNs) {
    Long before = load.hasMeterId() ? meterOf.put(uuid, load.getMeterId()) : meterOf.remove(uuid);
    if (before != null && (!load.hasMeterId() || before != load.getMeterId())) {
      forget(before, uuid);
    }
    if (load.hasMeterId()) {
      Map<String, Reported> sharers = meters.computeIfAbsent(load.getMeterId(), unknown -> new LinkedHashMap<>());
      sharers.put(uuid, new Reported(load, nowNs));
      sharers.entrySet().removeIf(other -> {
        boolean silent = nowNs - other.getValue().atNs() > MAX_SILENCE_NS;
        if (silent) {
          meterOf.remove(other.getKey());
        }
        return silent;
      });
    }
  }

  private void forget(long meter, String uuid) {
    Map<String, Reported> sharers = meters.get(meter);
    if (sharers != null && sharers.remove(uuid) != null && sharers.isEmpty()) {
      meters.remove(meter);
    }
  }

  /** How many agents, the one that reports this included, have its meter. */
  int sharers(LoadProto load) {
    return load.hasMeterId() ? meters.get(load.getMeterId()).size() : 1;
  }

  /** The agent's share of what it reports, after {@link #learn}; all of it where no other agent has the same meter. */
  LoadProto share(String uuid, LoadProto load) {
    int sharers = sharers(load);
    if (sharers == 1) {
      return load;
    }
    long othersIn = 0;
    long othersOut = 0;
    for (Map.Entry<String, Reported> other : meters.get(load.getMeterId()).entrySet()) {
      if (!other.getKey().equals(uuid)) {
        othersIn += other.getValue().load().getRecoveryInBytesPerSec();
        othersOut += other.getValue().load().getRecoveryOutBytesPerSec();
      }
    }
    long networkBytesPerSec = load.getNetworkBytesPerSec() / sharers;
    return load.toBuilder()
        .setCapacityInBytesPerSec(Math.min(load.getCapacityInBytesPerSec(), networkBytesPerSec))
        .setCapacityOutBytesPerSec(Math.min(load.getCapacityOutBytesPerSec(), networkBytesPerSec))
        .setForegroundInBytesPerSec(Math.max(0, load.getForegroundInBytesPerSec() - othersIn) / sharers)
        .setForegroundOutBytesPerSec(Math.max(0, load.getForegroundOutBytesPerSec() - othersOut) / sharers)
        .build();
  }
}
