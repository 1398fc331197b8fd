/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

/**
 * How many rebuilds this DataNode runs at once: at most {@link #MAX_RUNNING}, and as many as their memory allows. Safe
 * for use by all threads.
 *
 * <p>A rebuild has a stream from each of its sources. If many run, each source serves dozens of streams at once, all
 * rebuilds advance slowly together, and one that must move to another target near the end loses much. Those that wait
 * lose nothing. docs/results.md has the runs with more.
 */
final class RebuildBudget {
  /** Where each target runs so many, a source has three times k streams in the mean. */
  static final int MAX_RUNNING = 3;

  private final long maxBytes;
  private long reservedBytes;
  private int running;

  RebuildBudget(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  long maxBytes() {
    return maxBytes;
  }

  /** Lets one more rebuild run and reserves its memory, and returns true, if it is within the budget. */
  synchronized boolean tryReserve(long bytes) {
    if (running == MAX_RUNNING || bytes > maxBytes - reservedBytes) {
      return false;
    }
    running++;
    reservedBytes += bytes;
    return true;
  }

  /** To be called once for each {@link #tryReserve} that returned true. */
  synchronized void release(long bytes) {
    running--;
    reservedBytes -= bytes;
  }
}
