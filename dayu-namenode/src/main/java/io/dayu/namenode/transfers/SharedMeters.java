/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.namenode.exchange.NodeLoad;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Agents whose meters count the same traffic: those of DataNodes on one host. Each of them reports the whole network as
 * its own, and counts the recovery of the others as foreground. This class subtracts the recovery of the others, and
 * divides network and foreground equally, so that together they have the host's bandwidth once. Owned by the recovery
 * loop; not thread-safe.
 *
 * <p>An agent says itself which meter it has. So a meter is shared only by DataNodes that are registered with the same
 * address: an agent on another host that names it takes nothing away from them.
 *
 * <p>The others' recovery is that of their last reports, a few seconds old at most. Where it has just ended, too much
 * is subtracted until they report again. The agents' own shaping sees all traffic at every moment.
 */
final class SharedMeters {
  /** After this time without a report an agent has no share. It is longer than any interval between reports. */
  private static final long MAX_SILENCE_NS = TimeUnit.MINUTES.toNanos(3);

  private record Reported(NodeLoad load, long atNs) {
  }

  /** What a meter counts: an id that an agent has named, of the host with an address. */
  private record Meter(long id, String address) {
  }

  private final UnaryOperator<String> addressOf;
  /** By meter, then by the UUID of the agent's DataNode. */
  private final Map<Meter, Map<String, Reported>> meters = new HashMap<>();
  private final Map<String, Meter> meterOf = new HashMap<>();

  /** @param addressOf the address of the DataNode with a UUID, or null if none is registered */
  SharedMeters(UnaryOperator<String> addressOf) {
    this.addressOf = addressOf;
  }

  /** Takes note of what an agent reports, and forgets those on the same meter that are silent. */
  void learn(String uuid, NodeLoad load, long nowNs) {
    String address = load.meter() != null ? addressOf.apply(uuid) : null;
    Meter meter = address == null ? null : new Meter(load.meter().id(), address);
    Meter before = meter == null ? meterOf.remove(uuid) : meterOf.put(uuid, meter);
    if (before != null && !before.equals(meter)) {
      forget(before, uuid);
    }
    if (meter != null) {
      Map<String, Reported> sharers = meters.computeIfAbsent(meter, unknown -> new LinkedHashMap<>());
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

  private void forget(Meter meter, String uuid) {
    Map<String, Reported> sharers = meters.get(meter);
    if (sharers != null && sharers.remove(uuid) != null && sharers.isEmpty()) {
      meters.remove(meter);
    }
  }

  /** How many agents, this one included, have its meter. */
  int sharers(String uuid) {
    Meter meter = meterOf.get(uuid);
    return meter == null ? 1 : meters.get(meter).size();
  }

  /** The agent's share of what it reports, after {@link #learn}; all of it where no other agent has the same meter. */
  NodeLoad share(String uuid, NodeLoad load) {
    int sharers = sharers(uuid);
    if (sharers == 1) {
      return load;
    }
    long othersIn = 0;
    long othersOut = 0;
    for (Map.Entry<String, Reported> other : meters.get(meterOf.get(uuid)).entrySet()) {
      if (!other.getKey().equals(uuid)) {
        othersIn += other.getValue().load().meter().recoveryInBytesPerSec();
        othersOut += other.getValue().load().meter().recoveryOutBytesPerSec();
      }
    }
    long networkBytesPerSec = load.meter().networkBytesPerSec() / sharers;
    return load
        .withCapacity(Math.min(load.in().capacityBytesPerSec(), networkBytesPerSec),
            Math.min(load.out().capacityBytesPerSec(), networkBytesPerSec))
        .withNetworkIn(networkBytesPerSec)
        .withForeground(Math.max(0, load.in().foregroundBytesPerSec() - othersIn) / sharers,
            Math.max(0, load.out().foregroundBytesPerSec() - othersOut) / sharers);
  }
}
