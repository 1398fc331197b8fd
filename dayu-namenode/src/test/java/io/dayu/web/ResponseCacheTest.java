/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.web;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ResponseCacheTest {
  private static final ResponseCache.CachedResponse BUSY = ResponseCache.CachedResponse.of(503, Map.of());

  private final AtomicLong nowNs = new AtomicLong(5);
  private final AtomicInteger made = new AtomicInteger();
  private final ResponseCache cache = new ResponseCache(nowNs::get);

  private ResponseCache.CachedResponse get(String kind) {
    return cache.get(kind, () -> ResponseCache.CachedResponse.of(200, Map.of("made", made.incrementAndGet())), BUSY);
  }

  @Test
  void answer_isMadeOnceForAMoment_andForEachKind() {
    ResponseCache.CachedResponse first = get("nodes");
    assertEquals("{\"made\":1}", new String(first.json(), StandardCharsets.UTF_8));
    nowNs.addAndGet(ResponseCache.MAX_AGE_NS - 1);
    assertSame(first, get("nodes"));
    get("plan");
    assertEquals(2, made.get());
    nowNs.incrementAndGet();
    get("nodes");
    assertEquals(3, made.get());
  }

  /** Of one answer that takes long, many callers wait: all but a few get the last one, or none, at once. */
  @Test
  void whileAnAnswerIsMade_fewThreadsWait() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      Future<ResponseCache.CachedResponse> slow = threads.submit(() -> cache.get("nodes", () -> {
        begun.countDown();
        await(end);
        return ResponseCache.CachedResponse.of(200, Map.of());
      }, BUSY));
      begun.await();
      CompletionService<ResponseCache.CachedResponse> others = new ExecutorCompletionService<>(threads);
      for (int i = 0; i < 50; i++) {
        others.submit(() -> get("nodes"));
      }
      for (int i = 0; i < 40; i++) {
        assertSame(BUSY, others.take().get());
      }
      end.countDown();
      ResponseCache.CachedResponse first = slow.get();
      for (int i = 40; i < 50; i++) {
        ResponseCache.CachedResponse answer = others.take().get();
        assertTrue(answer == first || answer == BUSY);
      }
      assertEquals(0, made.get());
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void whileAnAnswerIsMadeAnew_othersGetTheLastOne() throws Exception {
    ResponseCache.CachedResponse last = get("nodes");
    nowNs.addAndGet(ResponseCache.MAX_AGE_NS);
    cache.get("nodes", () -> {
      assertSame(last, CompletableFuture.supplyAsync(() -> get("nodes")).join());
      return BUSY;
    }, BUSY);
    assertEquals(1, made.get());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
