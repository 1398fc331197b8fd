/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.protocol.DayuProtos.AgentCommandsProto;
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
public final class DeferredResponses implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(DeferredResponses.class);

  private static final class Deferred {
    private final CompletableFuture<AgentCommandsProto> response = new CompletableFuture<>();
    private final Supplier<AgentCommandsProto> commands;
    private volatile Future<?> end = CompletableFuture.completedFuture(null);

    private Deferred(Supplier<AgentCommandsProto> commands) {
      this.commands = commands;
    }

    private void complete() {
      end.cancel(false);
      try {
        response.complete(commands.get());
      } catch (RuntimeException e) {
        LOG.error("Dayu: could not respond to an agent's report", e);
        response.completeExceptionally(e);
      }
    }
  }

  private final ConcurrentHashMap<String, Deferred> deferred = new ConcurrentHashMap<>();
  private final ScheduledExecutorService executor;

  /** @param executor shut down with this object */
  public DeferredResponses(ScheduledExecutorService executor) {
    this.executor = executor;
  }

  /** An executor with one daemon thread. Once it is shut down, it drops all tasks that have not run. */
  public static ScheduledExecutorService newExecutor() {
    ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1, task -> {
      Thread daemon = new Thread(task, "Dayu deferred responses");
      daemon.setDaemon(true);
      return daemon;
    });
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    thread.setRemoveOnCancelPolicy(true);
    return thread;
  }

  /**
   * Defers a response until {@link #complete}, but not for longer than {@code millis}. An earlier response that is
   * still deferred for the same agent is given now: the agent no longer waits for it.
   *
   * @param commands what to answer, asked for when it is given
   */
  CompletableFuture<AgentCommandsProto> defer(String agent, Supplier<AgentCommandsProto> commands, long millis) {
    Deferred now = new Deferred(commands);
    Deferred before = deferred.put(agent, now);
    try {
      now.end = executor.schedule(() -> {
        if (deferred.remove(agent, now)) {
          now.complete();
        }
      }, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // Closed.
      complete(agent);
    }
    if (before != null) {
      before.complete();
    }
    return now.response;
  }

  /** Gives the agent its response, if one is deferred. */
  void complete(String agent) {
    Deferred now = deferred.remove(agent);
    if (now != null) {
      try {
        executor.execute(now::complete);
      } catch (RejectedExecutionException e) {
        now.complete();
      }
    }
  }

  void completeAll() {
    deferred.keySet().forEach(this::complete);
  }

  @Override
  public void close() {
    completeAll();
    executor.shutdown();
    // The executor may have accepted tasks meanwhile that it will not run.
    completeAll();
  }
}
