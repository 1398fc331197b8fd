/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.admin.AdminException;
import io.dayu.admin.ExitCode;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Lets other threads run code on the recovery loop's thread, which alone may touch the loop's state. Thread-safe: RPC
 * handlers and threads of the HTTP server call and wait, and the loop runs what they ask for between two ticks.
 * Commands of superusers and what the web page reads wait apart, so that readers of the page, who may be anyone, keep
 * no admin waiting.
 */
public final class LoopRequests {
  private static final int MAX_COMMANDS = 64;
  private static final int MAX_PAGE_READS = 8;
  private static final int MAX_COMMANDS_AT_ONCE = 8;
  private static final int MAX_PAGE_READS_AT_ONCE = 2;
  /** How long a caller waits: it holds an RPC handler meanwhile. */
  static final long WAIT_MS = 5_000;

  private final BlockingQueue<FutureTask<?>> commands = new ArrayBlockingQueue<>(MAX_COMMANDS);
  private final BlockingQueue<FutureTask<?>> pageReads = new ArrayBlockingQueue<>(MAX_PAGE_READS);

  /** Makes the loop run {@code work}, and waits for its result for {@link #WAIT_MS}. */
  public <T> T call(boolean fromPage, Callable<T> work) throws AdminException {
    return call(fromPage, work, WAIT_MS);
  }

  /**
   * Makes the loop run {@code work}, and waits for its result.
   *
   * @param fromPage whether the web page reads; else it is for a superuser's command
   * @param waitMs for how long; Hadoop runs one such call at a time, so the next one waits meanwhile, too
   * @throws AdminException if the work throws it, or the loop does not come to it in time; then it will not be done
   *     later either
   */
  public <T> T call(boolean fromPage, Callable<T> work, long waitMs) throws AdminException {
    BlockingQueue<FutureTask<?>> waiting = fromPage ? pageReads : commands;
    FutureTask<T> task = new FutureTask<>(work);
    if (!waiting.offer(task)) {
      throw new AdminException(ExitCode.REFUSED, "too many commands wait for the recovery loop; try again");
    }
    try {
      return task.get(waitMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      boolean notStarted = waiting.remove(task);
      throw new AdminException(ExitCode.REFUSED, "the recovery loop has not answered for " + waitMs + " ms; "
          + (notStarted ? "nothing was changed"
              : "it has begun with this and may still carry it out, see hdfs dayu -status")
          + ". Look for 'recovery loop' in the NameNode's log, and try again");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AdminException(ExitCode.REFUSED, "the NameNode is stopping");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AdminException refused) {
        throw refused;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /**
   * Runs a bounded number of waiting requests, so that requests cannot stop the loop; called by the loop. If a request
   * fails, its caller gets the exception.
   */
  void runPending() {
    run(commands, MAX_COMMANDS_AT_ONCE);
    run(pageReads, MAX_PAGE_READS_AT_ONCE);
  }

  private static void run(BlockingQueue<FutureTask<?>> waiting, int max) {
    for (int i = 0; i < max; i++) {
      FutureTask<?> task = waiting.poll();
      if (task == null) {
        return;
      }
      task.run();
    }
  }
}
