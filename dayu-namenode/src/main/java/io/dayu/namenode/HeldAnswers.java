/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.protocol.DayuProtos.DirectionsProto;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Answers that are withheld from agents for a while, one for each. Thread-safe; the answers are given on a thread of its own, so that neither
 * the recovery loop nor an RPC handler waits while they are sent.
 */
final class HeldAnswers implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(HeldAnswers.class);

  private static final class Held {
    private final CompletableFuture<DirectionsProto> answer = new CompletableFuture<>();
    private final Supplier<DirectionsProto> directions;
    private volatile Future<?> end = CompletableFuture.completedFuture(null);

    private Held(Supplier<DirectionsProto> directions) {
      this.directions = directions;
    }

    private void give() {
      end.cancel(false);
      try {
        answer.complete(directions.get());
      } catch (RuntimeException e) {
        LOG.error("Dayu: an agent could not be answered", e);
        answer.completeExceptionally(e);
      }
    }
  }

  private final ConcurrentHashMap<String, Held> held = new ConcurrentHashMap<>();
  private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, task -> {
    Thread daemon = new Thread(task, "Dayu answers");
    daemon.setDaemon(true);
    return daemon;
  });

  HeldAnswers() {
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    thread.setRemoveOnCancelPolicy(true);
  }

  /**
   * Withholds an answer until {@link #release}, but not for longer than {@code millis}. One that is still withheld from the same agent is given now:
   * nobody waits for it any more.
   *
   * @param directions what to answer, asked for when it is given
   */
  CompletableFuture<DirectionsProto> hold(String agent, Supplier<DirectionsProto> directions, long millis) {
    Held now = new Held(directions);
    Held before = held.put(agent, now);
    try {
      now.end = thread.schedule(() -> {
        if (held.remove(agent, now)) {
          now.give();
        }
      }, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // Closed.
      release(agent);
    }
    if (before != null) {
      before.give();
    }
    return now.answer;
  }

  /** Gives the agent its answer, if one is withheld from it. */
  void release(String agent) {
    Held now = held.remove(agent);
    if (now != null) {
      try {
        thread.execute(now::give);
      } catch (RejectedExecutionException e) {
        now.give();
      }
    }
  }

  void releaseAll() {
    held.keySet().forEach(this::release);
  }

  @Override
  public void close() {
    releaseAll();
    thread.shutdown();
    // Of those who came meanwhile some may have been accepted, and will not be executed.
    releaseAll();
  }
}
