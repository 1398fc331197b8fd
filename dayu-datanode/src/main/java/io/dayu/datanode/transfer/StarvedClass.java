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

/**
 * Whether the network starves the class of lower effort: it answers no marked connection, and at the same moment an
 * unmarked one to the same DataNode. Then recovery goes unmarked for {@link #PAUSE_NS}, and also where this host's
 * sockets take no class. Safe for use by all threads.
 */
final class StarvedClass {
  private static final Logger LOG = LoggerFactory.getLogger(StarvedClass.class);

  /** A connect takes this long only if its first packets are lost. */
  static final long SLOW_CONNECT_NS = TimeUnit.MILLISECONDS.toNanos(2_500);
  /** A DataNode that is overloaded may answer one connection and not another. */
  static final int PROOFS = 3;
  static final long WINDOW_NS = TimeUnit.MINUTES.toNanos(1);
  static final long PAUSE_NS = TimeUnit.MINUTES.toNanos(10);

  /** DataNodes that answered no marked connection: one alone may be overloaded. */
  private final Set<String> sources = new HashSet<>();
  private long firstProofNs;
  private boolean starved;
  private long starvedNs;

  /** Whether a marked connection that took this time, or failed, should be compared with an unmarked one. */
  static boolean isSuspicious(long connectNs) {
    return connectNs >= SLOW_CONNECT_NS;
  }

  /**
   * An unmarked connection was made at once, where a marked one was not.
   *
   * @param source the DataNode's address
   */
  synchronized void proved(String source, long nowNs) {
    if (sources.isEmpty() || nowNs - firstProofNs > WINDOW_NS) {
      sources.clear();
      firstProofNs = nowNs;
    }
    sources.add(source);
    if (sources.size() >= PROOFS && !isStarved(nowNs)) {
      starved = true;
      starvedNs = nowNs;
      sources.clear();
      LOG.warn("The network starves lower effort: {} DataNodes within a minute did not answer a marked connection, and"
          + " did an unmarked one, last {}. Recovery goes unmarked for {} minutes", PROOFS, source,
          TimeUnit.NANOSECONDS.toMinutes(PAUSE_NS));
    }
  }

  /** A socket could not be marked. */
  synchronized void refused(String why, long nowNs) {
    if (!isStarved(nowNs)) {
      starved = true;
      starvedNs = nowNs;
      LOG.warn("Sockets of this host take no traffic class: {}. Recovery goes unmarked for {} minutes", why,
          TimeUnit.NANOSECONDS.toMinutes(PAUSE_NS));
    }
  }

  /** Whether recovery goes unmarked now. */
  synchronized boolean isStarved(long nowNs) {
    if (starved && nowNs - starvedNs >= PAUSE_NS) {
      starved = false;
    }
    return starved;
  }
}
