/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.namenode.status.DayuStatus;
import io.dayu.namenode.status.RecoveryState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Resumes stock re-replication when the recovery loop has been silent for too long, and unregisters what the loop left
 * once all leases of transfers have ended. A thread of its own that shares nothing with the loop but
 * {@link StockSuspension} and {@link PendingRegistrations}. No exception and no error ends it, and it needs no memory
 * to resume stock re-replication.
 *
 * <p>Where this thread has not run for a while either, the whole process has stood still (a long collection of garbage,
 * a stopped virtual machine). That time is not counted as silence of the loop.
 */
public final class Watchdog implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);

  private final StockSuspension suspension;
  private final PendingRegistrations registrations;
  private final DayuStatus status;
  private final LongSupplier timeoutMs;
  private final long leaseNs;
  private volatile boolean stopped;
  private volatile Thread thread;

  // Used only by the watchdog thread.
  private boolean hasLooked;
  private long lookedNs;
  /** The part of the loop's silence in which the whole process stood still, and which does not count. */
  private long stoodStillNs;
  /** Whether stock re-replication was resumed here, and the state does not say so yet. */
  private boolean resumed;

  /** @param timeoutMs for how long the loop may be silent, as it is set now */
  Watchdog(StockSuspension suspension, PendingRegistrations registrations, DayuStatus status, LongSupplier timeoutMs,
      long leaseMs) {
    this.suspension = suspension;
    this.registrations = registrations;
    this.status = status;
    this.timeoutMs = timeoutMs;
    this.leaseNs = TimeUnit.MILLISECONDS.toNanos(leaseMs);
  }

  void stop() {
    stopped = true;
    LockSupport.unpark(thread);
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    while (!stopped && !thread.isInterrupted()) {
      // Waiting on a lock or a latch would need memory.
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(periodMs()));
      look(System.nanoTime());
    }
  }

  private long periodMs() {
    return Math.max(50, timeoutMs.getAsLong() / 10);
  }

  public void look(long nowNs) {
    try {
      long silentNs = suspension.silentNs(nowNs);
      long timeoutNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs.getAsLong());
      long sinceLookNs = nowNs - lookedNs;
      boolean stoodStill = hasLooked && sinceLookNs > timeoutNs / 2;
      if (stoodStill) {
        // One period of each pause still counts as silence. Otherwise frequent pauses would hide a loop that hangs.
        stoodStillNs += sinceLookNs - TimeUnit.MILLISECONDS.toNanos(periodMs());
      }
      hasLooked = true;
      lookedNs = nowNs;
      stoodStillNs = Math.min(stoodStillNs, silentNs);
      boolean hangs = silentNs - stoodStillNs > timeoutNs;
      // Before anything that needs memory.
      resumed |= hangs && suspension.resume();
      if (stoodStill) {
        LOG.info("Dayu: the NameNode has stood still for about {} ms; its recovery loop has been silent for {} ms",
            TimeUnit.NANOSECONDS.toMillis(sinceLookNs), TimeUnit.NANOSECONDS.toMillis(silentNs));
      }
      if (resumed) {
        status.enter(RecoveryState.STOCK, "the recovery loop has been silent for "
            + TimeUnit.NANOSECONDS.toMillis(silentNs) + " ms");
        resumed = false;
      }
      if (hangs && silentNs > leaseNs && registrations.size() > 0) {
        LOG.warn("Dayu: the recovery loop is silent; the watchdog unregisters its {} pending copies",
            registrations.size());
        registrations.unregisterAll();
      }
    } catch (RuntimeException | Error e) {
      report(e);
    }
  }

  private static void report(Throwable cause) {
    try {
      LOG.error("Dayu: the watchdog failed; it will try again", cause);
    } catch (RuntimeException | Error e) {
      // There is no memory for a line either. Both may be the same object, which cannot suppress itself.
    }
  }
}
