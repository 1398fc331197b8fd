/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.nic;

import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One stream of block data over a NIC. Used by one thread at a time.
 *
 * <p>It is ahead of its link by a millisecond at most, so that it keeps its share of the link although its thread wakes
 * a little late. Apart from that, no reader gets bytes that the link has not counted. Bytes that are on the link pass
 * and count at their time, also if the stream ends before.
 */
public final class Flow {
  static final int QUANTUM_BYTES = 16 * 1024;
  private static final long MAX_AHEAD_NS = TimeUnit.MILLISECONDS.toNanos(1);
  /** A shorter wait is not worth a context switch; the link stays exact without it. */
  private static final long MIN_WAIT_NS = TimeUnit.MICROSECONDS.toNanos(100);
  /** The rate may change meanwhile. */
  private static final long MAX_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private final List<Link.Backlog> direct;
  private final List<Link.Backlog> mirrored;
  private List<Link.Backlog> backlogs = List.of();

  private Flow(List<Link.Backlog> direct, List<Link.Backlog> mirrored) {
    this.direct = direct;
    this.mirrored = mirrored;
  }

  /** Bytes that pass one link. */
  static Flow over(Traffic traffic, Link link) {
    List<Link.Backlog> backlogs = List.of(link.newBacklog(traffic));
    return new Flow(backlogs, backlogs);
  }

  /**
   * @param mirrorLink which bytes pass as well that {@link #pass} says are mirrored
   */
  static Flow over(Traffic traffic, Link link, Link mirrorLink) {
    Link.Backlog backlog = link.newBacklog(traffic);
    return new Flow(List.of(backlog), List.of(backlog, mirrorLink.newBacklog(traffic)));
  }

  /**
   * Sends or receives bytes and waits for the link.
   *
   * @param isMirrored whether they are passed on to another node too; the same for all of a flow
   */
  public void pass(int bytes, boolean isMirrored) throws InterruptedIOException {
    boolean begins = backlogs.isEmpty();
    backlogs = isMirrored ? mirrored : direct;
    for (int left = bytes; left > 0;) {
      int piece = Math.min(left, QUANTUM_BYTES);
      backlogs.forEach(backlog -> backlog.add(piece));
      left -= piece;
      // Nobody sees the first byte before its time.
      await(begins ? 0 : MAX_AHEAD_NS);
      begins = false;
    }
  }

  /** Waits until all is through. */
  public void drain() throws InterruptedIOException {
    await(0);
  }

  private void await(long aheadNs) throws InterruptedIOException {
    for (Link.Backlog backlog : backlogs) {
      for (long durationNs = backlog.remainingNs() - aheadNs; durationNs >= MIN_WAIT_NS;
          durationNs = backlog.remainingNs() - aheadNs) {
        if (Thread.currentThread().isInterrupted()) {
          throw new InterruptedIOException("interrupted while waiting for the emulated network");
        }
        LockSupport.parkNanos(Math.min(durationNs, MAX_WAIT_NS));
      }
    }
  }
}
