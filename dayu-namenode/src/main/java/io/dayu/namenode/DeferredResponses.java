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
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Responses to agents that are deferred for a while, one for each agent. Thread-safe. They are given on an executor's
 * thread, so that neither the recovery loop nor an RPC handler waits while they are sent.
 */
final class DeferredResponses implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(DeferredResponses.class);

  private static final class Deferred {
    private final CompletableFuture<DirectionsProto> answer = new CompletableFuture<>();
    private final Supplier<DirectionsProto> directions;
    private volatile Future<?> end = CompletableFuture.completedFuture(null);

    private Deferred(Supplier<DirectionsProto> directions) {
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

  private final ConcurrentHashMap<String, Deferred> deferred = new ConcurrentHashMap<>();
  private final ScheduledExecutorService executor;

  /** @param executor shut down with this object */
  DeferredResponses(ScheduledExecutorService executor) {
    this.executor = executor;
  }

  /** One daemon thread that runs nothing any more once it is shut down. */
  static ScheduledExecutorService newExecutor() {
    ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, task -> {
      Thread daemon = new Thread(task, "Dayu answers");
      daemon.setDaemon(true);
      return daemon;
    });
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    thread.setRemoveOnCancelPolicy(true);
    return thread;
  }

  /**
   * Defers a response until {@link #give}, but not for longer than {@code millis}. One that is still deferred for the
   * same agent is given now: nobody waits for it any more.
   *
   * @param directions what to answer, asked for when it is given
   */
  CompletableFuture<DirectionsProto> defer(String agent, Supplier<DirectionsProto> directions, long millis) {
    Deferred now = new Deferred(directions);
    Deferred before = deferred.put(agent, now);
    try {
      now.end = executor.schedule(() -> {
        if (deferred.remove(agent, now)) {
          now.give();
        }
      }, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // Closed.
      give(agent);
    }
    if (before != null) {
      before.give();
    }
    return now.answer;
  }

  /** Gives the agent its response, if one is deferred. */
  void give(String agent) {
    Deferred now = deferred.remove(agent);
    if (now != null) {
      try {
        executor.execute(now::give);
      } catch (RejectedExecutionException e) {
        now.give();
      }
    }
  }

  void giveAll() {
    deferred.keySet().forEach(this::give);
  }

  @Override
  public void close() {
    giveAll();
    executor.shutdown();
    // The executor may have accepted tasks meanwhile that it will not run.
    giveAll();
  }
}
