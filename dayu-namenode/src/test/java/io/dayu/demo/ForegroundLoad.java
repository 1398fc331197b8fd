/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.demo;

import io.dayu.harness.DayuCluster;

import org.apache.hadoop.fs.FileSystem;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A few clients that read and write small files while recovery goes on: one writer, and two readers that compare what they read, each
 * at its seeded pace. Started and stopped by one thread.
 */
final class ForegroundLoad implements AutoCloseable {
  private static final int READERS = 2;
  private static final int FIRST_FILES = 8;
  private static final int MAX_FILES_WRITTEN = 400;
  private static final int MAX_FILE_BYTES = 1 << 20;
  private static final int MAX_ERRORS = 20;
  private static final int MAX_PAUSE_MS = 1_000;

  private final DayuCluster cluster;
  private final DemoOptions options;
  private final FileSystem fs;
  private final List<Thread> clients = new ArrayList<>();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final AtomicInteger filesRead = new AtomicInteger();
  private final AtomicInteger filesWritten = new AtomicInteger();
  private final ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();

  ForegroundLoad(DayuCluster cluster, DemoOptions options) throws IOException {
    this.cluster = cluster;
    this.options = options;
    this.fs = cluster.fileSystem();
    SplittableRandom random = new SplittableRandom(options.seed());
    for (int file = 0; file < FIRST_FILES; file++) {
      write(random);
    }
    for (int reader = 0; reader < READERS; reader++) {
      start("foreground-reader-" + reader, this::read, options.seed() + reader);
    }
    start("foreground-writer", this::write, options.seed() - 1);
  }

  private interface Step {
    void run(SplittableRandom random) throws IOException;
  }

  private void start(String name, Step step, long seed) {
    Thread client = new Thread(() -> {
      SplittableRandom random = new SplittableRandom(seed);
      try {
        while (!stop.await(random.nextInt(MAX_PAUSE_MS), TimeUnit.MILLISECONDS) && errors.size() < MAX_ERRORS) {
          try {
            step.run(random);
          } catch (IOException e) {
            errors.add(name + ": " + e);
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }, name);
    client.setDaemon(true);
    clients.add(client);
    client.start();
  }

  private void read(SplittableRandom random) {
    cluster.files().compare(fs, path(random.nextInt(filesWritten.get()))).ifPresent(errors::add);
    filesRead.incrementAndGet();
  }

  private void write(SplittableRandom random) throws IOException {
    int number = filesWritten.get();
    if (number < MAX_FILES_WRITTEN) {
      cluster.files().write(fs, path(number), 1 + random.nextLong(MAX_FILE_BYTES), options.replication());
      filesWritten.incrementAndGet();
    }
  }

  private static String path(int number) {
    return "/foreground/" + number;
  }

  int filesRead() {
    return filesRead.get();
  }

  int filesWritten() {
    return filesWritten.get();
  }

  List<String> errors() {
    return List.copyOf(errors);
  }

  /** Lets every client finish what it is doing; interrupts those that have not after a minute. */
  @Override
  public void close() {
    stop.countDown();
    for (Thread client : clients) {
      try {
        client.join(TimeUnit.MINUTES.toMillis(1));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      if (client.isAlive()) {
        errors.add(client.getName() + " did not end");
        client.interrupt();
      }
    }
  }
}
