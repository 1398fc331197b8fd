/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Whether recovery's connections go unmarked for {@link #PAUSE_NS} although they are to be marked as
 * {@link LowerEffort}: since the network starves that class, that is, marked connections get no answer, and at the same
 * moment an unmarked one to the same DataNode is answered; or since this host's sockets take no class. Safe for use by
 * all threads.
 */
final class LowerEffortPause {
  private static final Logger LOG = LoggerFactory.getLogger(LowerEffortPause.class);

  /** A connect takes this long only if its first packets are lost. */
  static final long SLOW_CONNECT_NS = TimeUnit.MILLISECONDS.toNanos(2_500);
  /** A DataNode that is overloaded may answer one connection and not another. */
  static final int PROOFS = 3;
  static final long WINDOW_NS = TimeUnit.MINUTES.toNanos(1);
  static final long PAUSE_NS = TimeUnit.MINUTES.toNanos(10);

  private final LongSupplier nanoTime;
  /** DataNodes that were silent on a marked connection: one alone may be overloaded. */
  private final Set<String> sources = new HashSet<>();
  private long firstProofNs;
  private boolean starved;
  private long starvedNs;
  private boolean refused;
  private long refusedNs;
  /** Whether the WARN is written: a kernel that has refused once refuses again. */
  private boolean toldOfRefusal;

  /** @param nanoTime the clock */
  LowerEffortPause(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** The clock that {@link #isSuspicious} reads. */
  long nowNs() {
    return nanoTime.getAsLong();
  }

  /**
   * Whether a marked connection that is made by now, or has failed, should be compared with an unmarked one.
   *
   * @param beganNs when the connect began
   */
  boolean isSuspicious(long beganNs) {
    return nowNs() - beganNs >= SLOW_CONNECT_NS;
  }

  /**
   * An unmarked connection was answered soon, where marked ones were not.
   *
   * @param source the DataNode's address
   */
  synchronized void proved(String source) {
    long nowNs = nowNs();
    if (sources.isEmpty() || nowNs - firstProofNs > WINDOW_NS) {
      sources.clear();
      firstProofNs = nowNs;
    }
    sources.add(source);
    if (sources.size() >= PROOFS && !isStarved()) {
      starved = true;
      starvedNs = nowNs;
      sources.clear();
      LOG.warn("The network starves lower effort: within a minute {} DataNodes were silent on a marked connection, and"
          + " answered an unmarked one, last {}. Recovery goes unmarked for {} minutes", PROOFS, source,
          TimeUnit.NANOSECONDS.toMinutes(PAUSE_NS));
    }
  }

  /** A socket could not be marked. */
  synchronized void refused(String why) {
    long nowNs = nowNs();
    if (isRefused(nowNs)) {
      return;
    }
    refused = true;
    refusedNs = nowNs;
    if (toldOfRefusal) {
      LOG.debug("Sockets of this host still take no traffic class: {}", why);
    } else {
      toldOfRefusal = true;
      LOG.warn("Sockets of this host take no traffic class: {}. Recovery goes unmarked; every {} minutes one connection"
          + " is tried", why, TimeUnit.NANOSECONDS.toMinutes(PAUSE_NS));
    }
  }

  /** Whether recovery goes unmarked now, for whatever reason. */
  synchronized boolean isUnmarked() {
    return isStarved() || isRefused(nowNs());
  }

  /** Whether recovery goes unmarked now since the network starves the class. */
  synchronized boolean isStarved() {
    starved &= nowNs() - starvedNs < PAUSE_NS;
    return starved;
  }

  private boolean isRefused(long nowNs) {
    refused &= nowNs - refusedNs < PAUSE_NS;
    return refused;
  }
}
