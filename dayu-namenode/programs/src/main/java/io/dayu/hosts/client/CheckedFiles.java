/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import io.dayu.harness.SeededFiles;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.HdfsBlockLocation;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients that write, append to, read and delete files, and compare every byte that they read. Thread-safe.
 *
 * <p>A file counts from when it was closed and the NameNode knows two replicas of each block, or of each group one
 * internal block more than it takes to read it, of which faults destroy one at most. An operation that fails is no
 * violation: faults are under way. What it may have left is deleted; of a file that was to be appended to, what
 * counted before is compared first.
 */
final class CheckedFiles {
  private static final int WRITERS = 3;
  private static final int READERS = 3;
  private static final int MAX_PAUSE_MS = 600;
  private static final int MIN_FILE_BYTES = 4 << 10;
  private static final double APPEND_PROBABILITY = 0.2;
  private static final int CHECKERS = 4;
  private static final int MIN_REPLICAS = 2;
  private static final long REPLICAS_LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
  private static final int POLL_MS = 100;
  private static final int MAX_VIOLATIONS = 100;
  private static final int MAX_PRINTED = 500;
  private static final String DIRECTORY = "/checked/";
  private static final String GROUPS = "groups/";

  private final CheckedTask task;
  private final SeededFiles content;
  private final FileSystem fs;
  private final String directory;
  /** Null if all files are replicated. */
  private final ErasureCodingPolicy policy;
  private final AbandonedFiles abandoned;
  /** Files that somebody is changing. */
  private final Set<String> busy = ConcurrentHashMap.newKeySet();
  private final List<String> violations = new ArrayList<>();
  private final AtomicInteger names = new AtomicInteger();
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger printed = new AtomicInteger();
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong read = new AtomicLong();
  private final AtomicLong readBytes = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private volatile boolean paused = true;

  /** What a client does again and again. */
  private interface Operation {
    void run(SplittableRandom random) throws IOException;
  }

  CheckedFiles(CheckedTask task) throws IOException {
    this(task, connect(task.blockBytes()), DIRECTORY);
    if (!task.policy().isEmpty()) {
      HdfsClient.makeErasureCoded((DistributedFileSystem) fs, directory + GROUPS, task.policy());
    }
  }

  /** @param directory of all files, which ends with a slash */
  CheckedFiles(CheckedTask task, FileSystem fs, String directory) {
    this.task = task;
    this.fs = fs;
    this.directory = directory;
    this.policy = task.policy().isEmpty() ? null : SystemErasureCodingPolicies.getByName(task.policy());
    this.content = new SeededFiles(task.seed());
    this.abandoned = new AbandonedFiles(fs, content);
  }

  private static FileSystem connect(long blockBytes) throws IOException {
    Configuration conf = new Configuration();
    conf.setLong("dfs.blocksize", blockBytes);
    conf.setBoolean("dfs.client.read.shortcircuit", false);
    // Much shorter than by default, a minute, so that an operation that a fault has hit ends soon after the fault.
    conf.setInt("dfs.client.socket-timeout", 10_000);
    conf.setInt("ipc.client.connect.timeout", 5_000);
    conf.setInt("ipc.client.rpc-timeout.ms", 20_000);
    conf.setInt("dfs.client.block.write.locateFollowingBlock.retries", 8);
    return FileSystem.newInstance(FileSystem.getDefaultUri(conf), conf);
  }

  void start() {
    SplittableRandom root = new SplittableRandom(task.seed());
    for (int i = 0; i < WRITERS; i++) {
      start("writer-" + i, root.split(), this::change);
    }
    for (int i = 0; i < READERS; i++) {
      start("reader-" + i, root.split(), this::readOne);
    }
  }

  private void start(String name, SplittableRandom random, Operation operation) {
    Thread thread = new Thread(() -> {
      try {
        while (true) {
          TimeUnit.MILLISECONDS.sleep(1 + random.nextInt(MAX_PAUSE_MS));
          runOnce(operation, random);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void runOnce(Operation operation, SplittableRandom random) {
    running.incrementAndGet();
    try {
      if (!paused) {
        operation.run(random);
      }
    } catch (IOException | RuntimeException e) {
      failed.incrementAndGet();
      print(e.toString());
    } finally {
      running.decrementAndGet();
    }
  }

  /** Writes, appends to or deletes one file. */
  void change(SplittableRandom random) throws IOException {
    List<String> files = List.copyOf(content.lengthsBytes().keySet());
    List<String> replicated = files.stream().filter(file -> !isCoded(file)).toList();
    if (!replicated.isEmpty() && random.nextDouble() < APPEND_PROBABILITY) {
      append(replicated.get(random.nextInt(replicated.size())), bytes(random));
    } else if (files.size() >= task.maxFiles()) {
      String path = files.get(random.nextInt(files.size()));
      exclusively(path, false, () -> content.delete(fs, path));
    } else {
      String path = newPath();
      int bytes = bytes(random) * (isCoded(path) ? policy.getNumDataUnits() : 1);
      exclusively(path, false, () -> {
        content.write(fs, path, bytes, Topology.REPLICATION);
        awaitReplicas(path);
        written.incrementAndGet();
      });
    }
  }

  private String newPath() {
    int number = names.getAndIncrement();
    return directory + (policy != null && number % 2 == 1 ? GROUPS : "") + number;
  }

  /** HDFS appends to no group. */
  private boolean isCoded(String path) {
    return path.startsWith(directory + GROUPS);
  }

  /** Somebody may have deleted it meanwhile. */
  private void append(String path, int bytes) throws IOException {
    exclusively(path, true, () -> {
      if (content.lengthsBytes().containsKey(path)) {
        content.append(fs, path, bytes);
        awaitReplicas(path);
        written.incrementAndGet();
      }
    });
  }

  private void awaitReplicas(String path) throws IOException {
    long untilNs = System.nanoTime() + REPLICAS_LIMIT_NS;
    while (!hasReplicas(path)) {
      if (System.nanoTime() > untilNs || !pauseBriefly()) {
        throw new IOException(path + " has too few replicas");
      }
    }
  }

  private boolean hasReplicas(String path) throws IOException {
    for (BlockLocation block : fs.getFileBlockLocations(new Path(path), 0, Long.MAX_VALUE)) {
      if (block instanceof HdfsBlockLocation hdfs && hdfs.getLocatedBlock() instanceof LocatedStripedBlock group
          ? internalBlocks(group) <= DataGroups.dataBlocks(policy, block.getLength())
          : block.getNames().length < MIN_REPLICAS) {
        return false;
      }
    }
    return true;
  }

  /** Two DataNodes may have the same one. */
  private static int internalBlocks(LocatedStripedBlock group) {
    BitSet indices = new BitSet();
    for (byte index : group.getBlockIndices()) {
      indices.set(index);
    }
    return indices.cardinality();
  }

  private static boolean pauseBriefly() {
    try {
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** A change of one file. */
  private interface Change {
    void run() throws IOException;
  }

  /** @param keeps whether what the file has counts on, even if the change fails */
  private void exclusively(String path, boolean keeps, Change change) throws IOException {
    if (!busy.add(path)) {
      return;
    }
    boolean done = abandoned.contains(path);
    long counted = keeps ? content.lengthsBytes().getOrDefault(path, 0L) : 0;
    try {
      if (!done) {
        change.run();
        done = true;
      }
    } finally {
      if (!done) {
        abandoned.add(path, counted);
      }
      busy.remove(path);
    }
  }

  private int bytes(SplittableRandom random) {
    return (int) (MIN_FILE_BYTES * Math.pow((double) task.maxFileBytes() / MIN_FILE_BYTES, random.nextDouble()));
  }

  private void readOne(SplittableRandom random) throws IOException {
    List<String> files = content.lengthsBytes().keySet().stream().filter(this::counts).toList();
    if (files.isEmpty()) {
      return;
    }
    String path = files.get(random.nextInt(files.size()));
    Long bytes = content.lengthsBytes().get(path);
    if (bytes == null) {
      return;
    }
    Optional<String> difference = difference(path);
    if (difference.isEmpty()) {
      read.incrementAndGet();
      readBytes.addAndGet(bytes);
    } else if (AbandonedFiles.isOfContent(difference.get()) && counts(path)
        && bytes.equals(content.lengthsBytes().get(path))) {
      violated(difference.get());
    } else {
      throw new IOException(difference.get());
    }
  }

  private boolean counts(String path) {
    return !busy.contains(path) && !abandoned.contains(path);
  }

  /** Somebody may delete it meanwhile. */
  private Optional<String> difference(String path) {
    try {
      return content.compare(fs, path);
    } catch (RuntimeException e) {
      return Optional.of(path + " cannot be read: " + e);
    }
  }

  private void violated(String what) {
    print(what);
    synchronized (violations) {
      if (violations.size() < MAX_VIOLATIONS) {
        violations.add(what);
      }
    }
  }

  void resume() {
    paused = false;
  }

  void pause() {
    paused = true;
  }

  /** Compares and deletes what failed changes have left, as far as that is possible now. */
  void deleteAbandoned() {
    abandoned.compareAndDelete(this::violated);
  }

  /** Reads all files that count: now each byte must be there. */
  void check() throws InterruptedException {
    abandoned.compareAndDelete(this::violated).forEach(this::violated);
    ExecutorService checkers = Executors.newFixedThreadPool(CHECKERS);
    for (Map.Entry<String, Long> file : content.lengthsBytes().entrySet()) {
      if (abandoned.contains(file.getKey())) {
        continue; // What is wrong with it has been said.
      }
      checkers.execute(() -> {
        Optional<String> difference = difference(file.getKey());
        if (difference.isEmpty()) {
          read.incrementAndGet();
          readBytes.addAndGet(file.getValue());
        } else {
          violated(difference.get());
        }
      });
    }
    checkers.shutdown();
    checkers.awaitTermination(1, TimeUnit.HOURS);
  }

  CheckedReport report() {
    Map<String, Long> files = content.lengthsBytes();
    synchronized (violations) {
      return new CheckedReport(files.size(), files.values().stream().mapToLong(Long::longValue).sum(), written.get(),
          read.get(), readBytes.get(), failed.get(), running.get(), abandoned.count(), violations);
    }
  }

  private void print(String text) {
    if (printed.getAndIncrement() < MAX_PRINTED) {
      System.err.println(System.currentTimeMillis() + " " + Thread.currentThread().getName() + " " + text);
    }
  }
}
