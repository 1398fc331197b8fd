/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.util.concurrent.TimeUnit;

/**
 * Whether recovery traffic passes this node, for a thread that has something to do only then. Safe for use by all
 * threads.
 */
public final class LinkActivity {
  /** After this time without a packet there is no traffic. */
  private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(2);

  private volatile long activeNs = System.nanoTime() - IDLE_NS;
  private volatile boolean waiting;
  private boolean closed;

  /** Notes that a packet of recovery has passed or is about to pass. */
  void markActive() {
    activeNs = System.nanoTime();
    if (waiting) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** Waits until there is traffic. Returns false, at once, when this is closed. */
  public synchronized boolean await() throws InterruptedException {
    // This is written before activeNs is read. markActive() does both in the reverse order, so one of the two threads
    // sees the other.
    waiting = true;
    while (!closed && System.nanoTime() - activeNs >= IDLE_NS) {
      wait();
    }
    waiting = false;
    return !closed;
  }

  /** Ends all calls of {@link #await}. */
  public synchronized void close() {
    closed = true;
    notifyAll();
  }
}
