/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.namenode.agents.ReportResponder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * The one thread that owns the recovery of this NameNode: it reads the clock and calls {@link RecoveryController}.
 * Other threads only hand in reports, read commands, and resume stock re-replication. It goes on after any exception
 * and any error: stock HDFS recovers meanwhile.
 */
public final class RecoveryLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(RecoveryLoop.class);
  private static final long TICK_MS = 100;
  /** The minimum time between two ticks: at thousands of reports a second a tick reads many of them, not one. */
  private static final long MIN_TICK_MS = 10;

  private final RecoveryController controller;
  private final ReportResponder responder;
  private final LoopRequests requests;
  private final LongConsumer afterTick;
  private final Semaphore wake = new Semaphore(0);

  private volatile boolean stopped;
  /** Whether the last tick failed; the loop's own. */
  private boolean failing;

  /**
   * @param requests what other threads want done between ticks
   * @param afterTick called after each tick, with its time; does not throw
   */
  public RecoveryLoop(RecoveryParts recovery, LoopRequests requests, LongConsumer afterTick) {
    this.controller = recovery.controller();
    this.responder = recovery.responder();
    this.requests = requests;
    this.afterTick = afterTick;
  }

  public void stop() {
    stopped = true;
    wake.release();
  }

  @Override
  public void run() {
    try {
      responder.onWakeUp(wake::release);
      while (!stopped) {
        if (!tick(System.nanoTime()) || !waitForWork()) {
          // Waiting on the semaphore needs memory.
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(TICK_MS));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      controller.end(stopped ? null : "the recovery loop has ended");
    }
  }

  /** Returns whether it could wait. */
  private boolean waitForWork() throws InterruptedException {
    try {
      if (wake.tryAcquire(TICK_MS, TimeUnit.MILLISECONDS)) {
        TimeUnit.MILLISECONDS.sleep(MIN_TICK_MS);
        wake.drainPermits();
      }
      return true;
    } catch (RuntimeException | Error e) {
      return false;
    }
  }

  /** Does what is due. Returns whether nothing failed; if something did, stock HDFS recovers for a while. */
  boolean tick(long nowNs) {
    try {
      controller.goesOn(nowNs);
      requests.runPending();
      controller.tick(nowNs);
      afterTick.accept(nowNs);
      failing = false;
      return true;
    } catch (RuntimeException | Error e) {
      failed(e, nowNs);
      return false;
    }
  }

  private void failed(Throwable cause, long nowNs) {
    try {
      controller.failed(cause, nowNs);
      if (!failing) {
        LOG.error("Dayu: the recovery loop failed; stock HDFS takes over, and the loop goes on", cause);
      }
      failing = true;
    } catch (RuntimeException | Error e) {
      // Stock HDFS has resumed already. The next tick notes the state, or fails in its turn. Nothing is noted of this
      // failure: without memory the JVM throws the same error once more, which cannot suppress itself.
    }
  }
}
