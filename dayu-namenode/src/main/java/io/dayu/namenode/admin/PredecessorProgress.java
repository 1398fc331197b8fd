/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import com.fasterxml.jackson.databind.JsonNode;
import io.dayu.admin.AdminException;
import io.dayu.admin.Command;
import io.dayu.namenode.monitor.RecoveryProgress.Predecessor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Asks the other NameNodes, when this one has become active, how far the recovery was that its predecessor has begun:
 * else a failover would lose its cause, its size and its first estimate. A predecessor that has crashed cannot say. No
 * state.
 */
public final class PredecessorProgress {
  private static final Logger LOG = LoggerFactory.getLogger(PredecessorProgress.class);
  /** An interruption longer ago than this was that of another recovery. */
  private static final long MAX_AGE_MS = TimeUnit.MINUTES.toMillis(2);

  private PredecessorProgress() {
  }

  /** What the predecessor says, if one of the peers was it. */
  public static Optional<Predecessor> of(List<PeerControlSync.Peer> peers, long nowMs) {
    for (PeerControlSync.Peer peer : peers) {
      try {
        Optional<Predecessor> interrupted = interrupted(peer.call(Command.STATUS, ""), nowMs);
        if (interrupted.isPresent()) {
          return interrupted;
        }
      } catch (AdminException | RuntimeException e) {
        LOG.debug("Dayu: NameNode {} does not say how far its last recovery was", peer.name(), e);
      }
    }
    return Optional.empty();
  }

  /** The recovery of this status, if it was interrupted a moment ago with blocks left. */
  static Optional<Predecessor> interrupted(JsonNode status, long nowMs) {
    JsonNode recovery = status.path("recovery");
    boolean justNow = !status.path("state").asText().equals("STANDBY")
        || nowMs - status.path("sinceMs").asLong() <= MAX_AGE_MS;
    long lastMs = recovery.path("beganMs").asLong() + TimeUnit.SECONDS.toMillis(recovery.path("seconds").asLong());
    boolean hasLeft = recovery.path("active").asBoolean()
        || !recovery.path("endReason").asText().isEmpty() && nowMs - lastMs <= MAX_AGE_MS;
    return recovery.path("number").asLong() > 0 && justNow && hasLeft && recovery.path("blocksLeft").asLong() > 0
        ? Optional.of(new Predecessor(recovery.path("cause").asText(), recovery.path("beganMs").asLong(),
            recovery.path("blocksDone").asLong(), recovery.path("bytesDone").asLong(),
            recovery.path("firstEndMs").asLong()))
        : Optional.empty();
  }
}
