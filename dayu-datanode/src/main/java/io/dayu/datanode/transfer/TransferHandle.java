/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;

/**
 * One transfer to this DataNode, as {@link TransferRegistry} sees it. Until it is started it waits, and has received
 * nothing. All times are of one monotonic clock, in nanoseconds. Safe for use by all threads.
 */
public interface TransferHandle {
  /** How a transfer comes to be, and whom it tells of its end. */
  interface Factory {
    /**
     * @param sentNs when the report was sent that the grant answers: the lease counts from here
     * @param onEnd to be called once, when the replica is final or gone, if the transfer is started
     * @throws IllegalArgumentException if nothing can be received by this grant; the message says why
     */
    TransferHandle create(String blockPoolId, GrantProto grant, long sentNs, Listener onEnd);
  }

  /** Hears of a transfer's end. */
  interface Listener {
    void ended(FinishedTransferProto end);
  }

  long attempt();

  /**
   * Takes what the transfer needs to run, to be called before {@link #start}; returns false if it has to wait until
   * others have ended.
   */
  default boolean reserve() {
    return true;
  }

  /** Whether it rebuilds an internal block. Only then {@link #reserve} may refuse. */
  default boolean rebuilds() {
    return false;
  }

  /** Whether its grant has the rate 0. */
  default boolean isPaused() {
    return false;
  }

  /** Whether its newest grant says that it goes before others. */
  default boolean isAtHighestRisk() {
    return false;
  }

  /**
   * Whether it stands still for want of a source: one has failed, and can only be tried again now and then, or has not
   * answered for a while.
   */
  default boolean awaitsSource() {
    return false;
  }

  /** @throws OutOfMemoryError if the system has no more threads */
  void start();

  /**
   * Takes rate, source and lease from a newer grant of the same attempt.
   *
   * @param sentNs when the report was sent that the grant answers: the lease counts from here
   */
  void update(GrantProto newer, long sentNs);

  /**
   * Renews the lease.
   *
   * @param sentNs when the report was sent that this answers: the lease counts from here
   */
  void renew(long leaseMs, long sentNs);

  /**
   * Ends the transfer, unless it is already being made final or removed. Returns at once; the transfer ends when every
   * trace is removed.
   */
  void stop(Outcome outcome, String why);

  /** Whether it has been told to stop, even if that came too late. */
  boolean isStopping();

  boolean isLeaseOver(long nowNs);

  /** Measures what it achieves. */
  void measure(long nowNs);

  RunningTransferProto report();

  /** The result of a transfer that was never started. */
  FinishedTransferProto endUnstarted(Outcome outcome, String message);

  /** Waits until a transfer that has been started has ended, or this time is over. */
  void join(long millis) throws InterruptedException;
}
