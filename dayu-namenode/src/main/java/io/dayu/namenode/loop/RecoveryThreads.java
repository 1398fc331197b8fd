/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.function.BiFunction;

/**
 * The threads of the recovery loop and of its watchdog. The watchdog starts first and ends last, so that the loop never
 * runs without one. Used by one thread, the NameNode's.
 */
public final class RecoveryThreads {
  private static final Logger LOG = LoggerFactory.getLogger(RecoveryThreads.class);
  private static final long STOP_MS = 5_000;

  private final RecoveryLoop loop;
  private final Watchdog watchdog;
  private final BiFunction<String, Runnable, Thread> starter;
  private Thread loopThread;
  private Thread watchdogThread;

  /** @param starter starts a daemon of this name */
  public RecoveryThreads(RecoveryLoop loop, Watchdog watchdog, BiFunction<String, Runnable, Thread> starter) {
    this.loop = loop;
    this.watchdog = watchdog;
    this.starter = starter;
  }

  public void start() {
    watchdogThread = starter.apply("Dayu watchdog", watchdog);
    loopThread = starter.apply("Dayu recovery loop", loop);
  }

  /** Ends those that run, also after a start that failed half way. */
  public void stop() {
    loop.stop();
    try {
      if (loopThread != null) {
        loopThread.join(STOP_MS);
        if (loopThread.isAlive()) {
          LOG.warn("Dayu: the recovery loop did not stop within {} ms; interrupting it", STOP_MS);
          loopThread.interrupt();
        }
      }
      watchdog.stop();
      if (watchdogThread != null) {
        watchdogThread.join(STOP_MS);
      }
    } catch (InterruptedException e) {
      watchdog.stop();
      Thread.currentThread().interrupt();
    }
  }
}
