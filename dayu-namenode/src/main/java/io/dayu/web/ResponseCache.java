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
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Keeps each answer as JSON for a moment, so that many browsers cost the NameNode as much as one. Requests for an
 * answer that is being made wait for it. Thread-safe.
 */
final class ResponseCache {
  static final long MAX_AGE_NS = TimeUnit.SECONDS.toNanos(1);

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

  /** One kind of answer, guarded by its monitor. */
  private static final class Slot {
    private CachedResponse answer;
    private long madeNs;
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
   */
  CachedResponse get(String kind, Supplier<CachedResponse> maker) {
    Slot slot = slots.computeIfAbsent(kind, key -> new Slot());
    synchronized (slot) {
      if (slot.answer == null || clockNs.getAsLong() - slot.madeNs >= MAX_AGE_NS) {
        slot.answer = maker.get();
        slot.madeNs = clockNs.getAsLong();
      }
      return slot.answer;
    }
  }

  /** Forgets all: something has been changed. */
  void clear() {
    slots.clear();
  }
}
