/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.load;

import io.dayu.harness.DayuCluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that read and write at the moments that a {@link LoadProfile} plans, whether or not earlier operations have
 * ended: a cluster that slows down does not slow the load down. Latency counts from the planned moment, so waiting for
 * a free client is part of it. Started and closed by one thread; everything else may be called by any thread at any
 * time, also after the end.
 *
 * <p>Each DataNode is home to some files, written when the load starts and read from there as long as it has them;
 * written files go to the DataNodes that the profile chooses. After a DataNode's loss, what was its clients' traffic
 * goes to the other replicas.
 *
 * <p>It does not model: a client's own network or host (all clients are threads of this JVM), several readers of one
 * stream, and metadata operations other than those of opening, creating and deleting files.
 */
public final class OpenLoopLoad implements AutoCloseable {
  /** What the directories of all loads begin with. */
  public static final String DIRECTORY = "/foreground";
  private static final int PREPARING_CLIENTS = 8;
  private static final int MAX_ERRORS_KEPT = 100;
  private static final int MAX_OPERATIONS = 1_000_000;
  private static final long CLOSE_LIMIT_SEC = 90;
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final LoadProfile profile;
  private final LoadClient client;
  private final Arrivals arrivals;
  private final ThreadPoolExecutor clients;
  private final Thread dispatcher = new Thread(this::dispatch, "foreground-dispatcher");
  private final CountDownLatch stop = new CountDownLatch(1);
  private final LatencyLog log = new LatencyLog();
  private final Queue<String> errors = new ConcurrentLinkedQueue<>();
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger maxUnderWay = new AtomicInteger();
  private final AtomicInteger heldUp = new AtomicInteger();
  private final AtomicLong filesRead = new AtomicLong();
  private final AtomicLong filesWritten = new AtomicLong();
  private volatile long beginNs;
  private int errorCount;
  private boolean closed;

  private OpenLoopLoad(DayuCluster cluster, LoadProfile profile) throws IOException {
    this.profile = profile;
    this.client = new LoadClient(cluster, profile, DIRECTORY + NUMBER.incrementAndGet());
    this.arrivals = new Arrivals(profile, cluster.nodeCount());
    this.clients = new ThreadPoolExecutor(profile.maxClients(), profile.maxClients(), 0, TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(), OpenLoopLoad::daemon);
  }

  /** Writes the files that are to be read, on a cluster whose DataNodes all run, and begins. */
  public static OpenLoopLoad start(DayuCluster cluster, LoadProfile profile) throws IOException, InterruptedException {
    OpenLoopLoad load = new OpenLoopLoad(cluster, profile);
    boolean started = false;
    try {
      load.prepare(cluster.nodeCount());
      load.beginNs = System.nanoTime();
      load.dispatcher.setDaemon(true);
      load.dispatcher.start();
      started = true;
      return load;
    } finally {
      if (!started) {
        load.close();
      }
    }
  }

  /** When the load began, as {@link System#nanoTime()}. */
  public long beginNs() {
    return beginNs;
  }

  /** How long the operations took that were planned in a window of {@link System#nanoTime()}, its end not included. */
  public Latencies latencies(long fromNs, long toNs) {
    return log.latencies(fromNs, toNs);
  }

  /** The first errors, with what they happened to. */
  public List<String> errors() {
    return List.copyOf(errors);
  }

  public synchronized int errorCount() {
    return errorCount;
  }

  /** Operations that had to wait for a client because all were busy: above zero, the load was in part a closed loop. */
  public int heldUp() {
    return heldUp.get();
  }

  /** The most operations that were under way at once, those that waited for a client included. */
  public int maxUnderWay() {
    return maxUnderWay.get();
  }

  /** Reads that ended well, their content compared. */
  public long reads() {
    return filesRead.get();
  }

  public long writes() {
    return filesWritten.get();
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "foreground-client");
    thread.setDaemon(true);
    return thread;
  }

  private void prepare(int nodes) throws IOException, InterruptedException {
    ExecutorService preparing = Executors.newFixedThreadPool(PREPARING_CLIENTS, OpenLoopLoad::daemon);
    try {
      List<Future<?>> files = new ArrayList<>();
      for (int file = 0; file < profile.filesPerNode(); file++) {
        for (int node = 0; node < nodes; node++) {
          int home = node;
          int number = file;
          files.add(preparing.submit(() -> {
            client.prepare(home, number);
            return null;
          }));
        }
      }
      for (Future<?> file : files) {
        file.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("cannot write the files that the load is to read", e.getCause());
    } finally {
      preparing.shutdownNow();
    }
  }

  private void dispatch() {
    try {
      for (int operations = 0; operations < MAX_OPERATIONS; operations++) {
        Operation operation = arrivals.next();
        long plannedNs = beginNs + operation.atNs();
        if (stop.await(plannedNs - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          return;
        }
        LatencyLog.Entry entry = log.begin(operation instanceof Operation.Read, plannedNs);
        int now = underWay.incrementAndGet();
        maxUnderWay.accumulateAndGet(now, Math::max);
        if (now > profile.maxClients()) {
          heldUp.incrementAndGet();
        }
        clients.execute(() -> carryOut(operation, entry));
      }
      error("the load has ended: " + MAX_OPERATIONS + " operations");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void carryOut(Operation operation, LatencyLog.Entry entry) {
    try {
      if (operation instanceof Operation.Read read) {
        client.read(read);
        entry.finished(System.nanoTime());
        filesRead.incrementAndGet();
      } else if (operation instanceof Operation.Write write) {
        write(write, entry);
      }
    } catch (IOException | RuntimeException e) {
      entry.failed();
      error(operation + ": " + e);
    } finally {
      underWay.decrementAndGet();
    }
  }

  private void write(Operation.Write write, LatencyLog.Entry entry) throws IOException {
    try {
      client.write(write);
    } catch (IOException e) {
      try {
        client.discard(write);
      } catch (IOException discarding) {
        e.addSuppressed(discarding);
      }
      throw e;
    }
    entry.finished(System.nanoTime());
    filesWritten.incrementAndGet();
    try {
      client.deleteSurplus();
    } catch (IOException e) {
      error("deletion of a written file: " + e);
    }
  }

  private synchronized void error(String text) {
    if (errorCount++ < MAX_ERRORS_KEPT) {
      errors.add(text);
    }
  }

  /**
   * Plans no further operation, and forgets those that wait for a client: a machine that does not keep up has thousands
   * of them. Not for a load that is measured, since these never end in {@link #latencies}.
   */
  public void forgetWaiting() throws InterruptedException {
    stop.countDown();
    dispatcher.join();
    underWay.addAndGet(-clients.getQueue().drainTo(new ArrayList<>()));
  }

  /**
   * Plans no further operation and waits for those under way. It is an error if one has not ended after 90 seconds. A
   * second call does nothing.
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    stop.countDown();
    try {
      dispatcher.join();
      clients.shutdown();
      if (!clients.awaitTermination(CLOSE_LIMIT_SEC, TimeUnit.SECONDS)) {
        error(underWay.get() + " operations did not end within " + CLOSE_LIMIT_SEC + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      clients.shutdownNow();
      client.close();
    }
  }
}
