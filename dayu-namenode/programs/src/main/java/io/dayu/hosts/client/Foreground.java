/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Carries out the planned operations, each at its moment whether or not those before have ended (open loop). Latencies
 * count from the planned moment. Written files are deleted after some seconds. Started and stopped by one thread.
 */
final class Foreground {
  private static final int MAX_CLIENTS = 128;
  private static final int KEEP_WRITTEN_SEC = 15;
  private static final int END_LIMIT_SEC = 20;
  private static final int MAX_ERRORS_PRINTED = 50;
  private static final String DIRECTORY = "/written/";

  private final HdfsClient hdfs;
  private final ForegroundPlan plan;
  private final OperationLog log = new OperationLog();
  private final ExecutorService clients = Executors.newFixedThreadPool(MAX_CLIENTS, Foreground::daemon);
  private final ScheduledExecutorService deletions = Executors.newSingleThreadScheduledExecutor(Foreground::daemon);
  private final Thread dispatcher = daemon(this::dispatch);
  private final CountDownLatch stop = new CountDownLatch(1);
  private int errorsPrinted;
  private long beginNs;

  Foreground(HdfsClient hdfs, ClientTask task) {
    this.hdfs = hdfs;
    this.plan = new ForegroundPlan(task);
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "foreground");
    thread.setDaemon(true);
    return thread;
  }

  void start() {
    beginNs = System.nanoTime();
    dispatcher.start();
  }

  /** Plans no further operation and waits a bounded time for those under way. */
  void stop(Path operationsFile) throws IOException, InterruptedException {
    stop.countDown();
    dispatcher.join();
    clients.shutdown();
    clients.awaitTermination(END_LIMIT_SEC, TimeUnit.SECONDS);
    deletions.shutdownNow();
    log.write(operationsFile);
  }

  private void dispatch() {
    try {
      while (true) {
        PlannedOperation operation = plan.next();
        long plannedNs = beginNs + operation.atNs();
        if (stop.await(plannedNs - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          return;
        }
        OperationLog.Entry entry = log.begin(operation);
        clients.execute(() -> carryOut(operation, plannedNs, entry));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void carryOut(PlannedOperation operation, long plannedNs, OperationLog.Entry entry) {
    String path = DIRECTORY + operation.number();
    try {
      if (operation.kind() == OperationKind.READ) {
        hdfs.read(operation);
      } else {
        hdfs.write(operation, path);
      }
      entry.finished(System.nanoTime() - plannedNs);
    } catch (IOException | RuntimeException e) {
      entry.failed();
      print(operation + ": " + e);
    } finally {
      if (operation.kind() != OperationKind.READ && !deletions.isShutdown()) {
        deletions.schedule(() -> delete(path), KEEP_WRITTEN_SEC, TimeUnit.SECONDS);
      }
    }
  }

  private void delete(String path) {
    try {
      hdfs.delete(path);
    } catch (IOException | RuntimeException e) {
      print("deletion of " + path + ": " + e);
    }
  }

  private synchronized void print(String error) {
    if (errorsPrinted++ < MAX_ERRORS_PRINTED) {
      System.err.println(error);
    }
  }
}
