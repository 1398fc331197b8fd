/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import java.util.PriorityQueue;

/** The simulated clock, and the events that are due at each moment, in a fixed order. Not thread-safe. */
final class EventQueue {
  static final long MS = 1_000_000;

  private record Event(long atNs, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return atNs == other.atNs ? Long.compare(order, other.order) : Long.compare(atNs, other.atNs);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final long startNs;
  private long nowNs;
  private long order;

  /** @param startNs what the clock shows at first; of a monotonic clock no value means anything by itself */
  EventQueue(long startNs) {
    this.startNs = startNs;
    this.nowNs = startNs;
  }

  long nowNs() {
    return nowNs;
  }

  /** Milliseconds since the start. */
  long elapsedMs() {
    return (nowNs - startNs) / MS;
  }

  void after(long delayMs, Runnable action) {
    events.add(new Event(nowNs + delayMs * MS, order++, action));
  }

  /** Runs what is due in this period, and moves the clock to its end. */
  void run(long periodMs) {
    long endNs = nowNs + periodMs * MS;
    while (!events.isEmpty() && events.peek().atNs <= endNs) {
      Event next = events.poll();
      nowNs = next.atNs;
      next.action.run();
    }
    nowNs = endNs;
  }
}
