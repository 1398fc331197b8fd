/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * An executor whose tasks are events of the simulated clock; offers no more than deferred responses need. Not
 * thread-safe.
 */
final class SimulatedExecutor extends AbstractExecutorService implements ScheduledExecutorService {
  private static final class Task extends FutureTask<Void> implements ScheduledFuture<Void> {
    private Task(Runnable body) {
      super(body, null);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int compareTo(Delayed other) {
      throw new UnsupportedOperationException();
    }
  }

  private final EventQueue events;
  private final Consumer<Runnable> process;
  private boolean shutdown;

  /** @param process runs what is due, or keeps it while the process stands still */
  SimulatedExecutor(EventQueue events, Consumer<Runnable> process) {
    this.events = events;
    this.process = process;
  }

  @Override
  public void execute(Runnable task) {
    schedule(task, 0, TimeUnit.MILLISECONDS);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable body, long delay, TimeUnit unit) {
    Task task = new Task(body);
    events.after(unit.toMillis(delay), () -> process.accept(() -> {
      if (!shutdown) {
        task.run();
      }
    }));
    return task;
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> body, long delay, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(Runnable body, long initialDelay, long period, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(Runnable body, long initialDelay, long delay, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void shutdown() {
    shutdown = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown = true;
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return shutdown;
  }
}
