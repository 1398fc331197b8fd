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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

class ResponseCacheTest {
  private final AtomicLong nowNs = new AtomicLong(5);
  private final AtomicInteger made = new AtomicInteger();
  private final ResponseCache cache = new ResponseCache(nowNs::get);

  private ResponseCache.CachedResponse get(String kind) {
    return cache.get(kind, () -> ResponseCache.CachedResponse.of(200, Map.of("made", made.incrementAndGet())));
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

  @Test
  void change_isSeenAtOnce() {
    get("status");
    cache.clear();
    get("status");
    assertEquals(2, made.get());
  }
}
