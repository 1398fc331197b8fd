/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.harness.nic;

import java.io.InterruptedIOException;
import java.util.concurrent.locks.LockSupport;

/**
 * One stream of block data over a NIC. Used by one thread at a time.
 *
 * <p>It has at most two quanta on the link: it waits until one is through before it queues the next but one, so a flow alone keeps the link
 * busy although its thread wakes a little late, and flows that compete take turns. What has its place on the link passes and counts at its
 * time, also if the stream ends before; the thread may go on a little before that.
 */
public final class Flow {
  static final int QUANTUM_BYTES = 16 * 1024;
  /** A shorter wait is not worth a context switch; the timeline stays exact without it. */
  private static final long LEAST_WAIT_NANOS = 100_000;

  private final Traffic traffic;
  private final Link link;
  private final Link mirrorLink;
  private boolean mirrored;
  private boolean begun;
  private int lastBytes;
  private long lastEndNanos;
  private int currentBytes;
  private long currentEndNanos;

  /**
   * @param mirrorLink where bytes are passed on that {@link #pass} says are mirrored; may be null
   */
  Flow(Traffic traffic, Link link, Link mirrorLink) {
    this.traffic = traffic;
    this.link = link;
    this.mirrorLink = mirrorLink;
  }

  /**
   * Sends or receives bytes and waits for their turn.
   *
   * @param isMirrored whether they are passed on to another node too; the same for all of a flow
   */
  public void pass(int bytes, boolean isMirrored) throws InterruptedIOException {
    mirrored = isMirrored;
    for (int left = bytes; left > 0; ) {
      int piece = Math.min(left, QUANTUM_BYTES - currentBytes);
      reserve(piece);
      left -= piece;
      if (!begun) {
        begun = true;
        drain();
      } else if (currentBytes == QUANTUM_BYTES) {
        awaitLast();
        lastBytes = currentBytes;
        lastEndNanos = currentEndNanos;
        currentBytes = 0;
      }
    }
  }

  /** Waits until all is through. */
  public void drain() throws InterruptedIOException {
    awaitLast();
    if (currentBytes > 0) {
      await(currentEndNanos);
      currentBytes = 0;
    }
  }

  private void reserve(int bytes) {
    currentEndNanos = link.reserve(traffic, bytes);
    if (mirrored) {
      long mirrorEndNanos = mirrorLink.reserve(traffic, bytes);
      currentEndNanos = mirrorEndNanos - currentEndNanos > 0 ? mirrorEndNanos : currentEndNanos;
    }
    currentBytes += bytes;
  }

  private void awaitLast() throws InterruptedIOException {
    if (lastBytes > 0) {
      await(lastEndNanos);
      lastBytes = 0;
    }
  }

  private static void await(long untilNanos) throws InterruptedIOException {
    long leftNanos = untilNanos - System.nanoTime();
    while (leftNanos >= LEAST_WAIT_NANOS) {
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException("interrupted while waiting for the emulated network");
      }
      LockSupport.parkNanos(leftNanos);
      leftNanos = untilNanos - System.nanoTime();
    }
  }
}
