/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.experiment;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/**
 * Runs cases on several threads and hands their results over in order, so that results do not depend on the number of
 * threads. Owned by one thread, which receives the results. At most {@link #CASES_PER_THREAD} cases per thread are
 * started and not handed over.
 */
public final class ParallelCases implements AutoCloseable {
  private static final int CASES_PER_THREAD = 2;

  private final ExecutorService pool;
  private final int maxAtOnce;

  public ParallelCases(int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("threads = " + threads + ", expected at least 1");
    }
    maxAtOnce = CASES_PER_THREAD * threads;
    pool = Executors.newFixedThreadPool(threads, task -> {
      Thread thread = new Thread(task, "case");
      thread.setDaemon(true);
      return thread;
    });
  }

  /** Takes the result of one case. */
  @FunctionalInterface
  public interface Taker<T> {
    void take(int index, T result);
  }

  /**
   * Runs cases 0 to {@code count} - 1.
   *
   * @param one runs a case, on any thread
   * @param taker is given the results in order, on the calling thread; what a case or the taker throws ends the study
   */
  public <T> void run(int count, IntFunction<T> one, Taker<T> taker) {
    Queue<Future<T>> running = new ArrayDeque<>();
    int begun = 0;
    for (int index = 0; index < count; index++) {
      for (; begun < count && running.size() < maxAtOnce; begun++) {
        int own = begun;
        running.add(pool.submit(() -> one.apply(own)));
      }
      taker.take(index, result(running.remove()));
    }
  }

  private static <T> T result(Future<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      if (e.getCause() instanceof Error cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Ends what still runs. */
  @Override
  public void close() {
    pool.shutdownNow();
  }
}
