/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The last answer of each kind. Each is made at most once a second, whatever is asked and whatever commands change
 * meanwhile, so that readers of the page cannot keep the recovery loop busy. While one is being made, most others get
 * the last one: few threads of the HTTP server wait. Thread-safe.
 */
final class ResponseCache {
  static final long MAX_AGE_NS = TimeUnit.SECONDS.toNanos(1);
  /** Of an answer that is given while a new one is being made. */
  static final long MAX_STALE_NS = TimeUnit.SECONDS.toNanos(10);
  /** Of each kind: for the first readers of a page that nobody has looked at for a while. */
  private static final int MAX_WAITING = 4;
  /** The recovery loop answers within five seconds, or the view says that it does not. */
  private static final long WAIT_MS = 6_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * An answer.
   *
   * @param status of HTTP
   */
  record CachedResponse(int status, byte[] json) {
    static CachedResponse of(int status, Object view) {
      try {
        return new CachedResponse(status, JSON.writeValueAsBytes(view));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private record Made(CachedResponse answer, long atNs) {
  }

  /** One kind of answer. Only who holds the lock makes a new one. */
  private static final class Slot {
    private final ReentrantLock making = new ReentrantLock();
    private volatile Made last;

    CachedResponse youngerThan(long maxAgeNs, long nowNs) {
      Made made = last;
      return made == null || nowNs - made.atNs >= maxAgeNs ? null : made.answer;
    }
  }

  private final Map<String, Slot> slots = new ConcurrentHashMap<>();
  private final LongSupplier clockNs;

  ResponseCache(LongSupplier clockNs) {
    this.clockNs = clockNs;
  }

  /**
   * The answer of this kind, made anew if there is none or it is too old.
   *
   * @param kind one of few
   * @param busy the answer if another thread makes one and too many wait for it already
   */
  CachedResponse get(String kind, Supplier<CachedResponse> maker, CachedResponse busy) {
    Slot slot = slots.computeIfAbsent(kind, key -> new Slot());
    CachedResponse fresh = slot.youngerThan(MAX_AGE_NS, clockNs.getAsLong());
    if (fresh != null) {
      return fresh;
    }
    if (!slot.making.tryLock()) {
      CachedResponse stale = slot.youngerThan(MAX_STALE_NS, clockNs.getAsLong());
      if (stale != null) {
        return stale;
      }
      if (slot.making.getQueueLength() >= MAX_WAITING || !isLocked(slot.making)) {
        return busy;
      }
    }
    try {
      fresh = slot.youngerThan(MAX_AGE_NS, clockNs.getAsLong());
      if (fresh == null) {
        fresh = maker.get();
        slot.last = new Made(fresh, clockNs.getAsLong());
      }
      return fresh;
    } finally {
      slot.making.unlock();
    }
  }

  private static boolean isLocked(ReentrantLock lock) {
    try {
      return lock.tryLock(WAIT_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
