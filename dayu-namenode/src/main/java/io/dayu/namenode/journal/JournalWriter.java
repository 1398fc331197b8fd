/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.journal;

import io.dayu.journal.JournalEncoder;
import io.dayu.journal.JournalRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Writes a journal into two files in turn, so that it never takes more than its bound and the last half of that is
 * always there. {@link #offer} may be called by one thread, which never waits for the disk: what the queue has no room
 * for is dropped, counted, and said in the journal. All else is done on the writer's own thread.
 *
 * <p>Each file is a segment that can be read alone. It begins with a checkpoint, which is <i>fuzzy</i>: the part that
 * this thread knows is written at once, the other part in pieces between other records, as
 * {@link #takeCheckpointWanted} asks the caller for them. So nothing stops while a checkpoint is made.
 *
 * <p>Two ideas are of SLACH (Zhou, Programming Support and Adaptive Checkpointing for High-Throughput Data Services
 * with Log-Based Recovery, DSN'10; slides "Main Techniques" and "Object-level Checkpoints"): only changes are logged,
 * and a checkpoint is made object by object while others go on. Not used are its checkpoints that adapt to the load
 * (slides "Adaptive Checkpointing Control" and "Adaptive Checkpointing Frequency"): a checkpoint is made when a segment
 * is full, and after entries were dropped. Nor is its log written ahead: nothing is recovered from the journal, so it
 * may lose entries.
 */
public final class JournalWriter implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(JournalWriter.class);

  /** The maximum that waits to be written, in entries and in elements of their lists. */
  private static final int MAX_ENTRIES = 4_096;
  private static final int MAX_WEIGHT = 200_000;
  private static final long END_MS = 2_000;
  /**
   * The checkpoint at the beginning of a segment takes at most this part of the bound, which is half of the segment.
   * The rest is for records.
   */
  private static final int CHECKPOINT_DIVISOR = 4;

  /** Something that is written: makes records on the writer's thread. */
  @FunctionalInterface
  public interface RecordSource {
    void write(Consumer<JournalRecord> journal);
  }

  /** A checkpoint would leave too little room for what follows it. */
  private static final class TooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private record Queued(RecordSource source, int weight) {
  }

  private final JournalFiles files;
  private final String version;
  private final LongSupplier wallClockMs;
  private final RecordSource checkpoint;
  private final BlockingQueue<Queued> queue = new ArrayBlockingQueue<>(MAX_ENTRIES);
  private final AtomicInteger weight = new AtomicInteger();
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong written = new AtomicLong();
  private final AtomicBoolean checkpointWanted = new AtomicBoolean();
  private volatile long maxBytes;
  private volatile boolean ending;
  private volatile boolean failed;

  // The writer's thread's own.
  private final JournalEncoder encoder = new JournalEncoder();
  private long sequence;
  private long checkpointBytes;
  private boolean inCheckpoint;
  /** Of {@link #dropped}: those that are in {@link #notWritten} or have been said in the journal. */
  private long droppedSeen;
  private long notWritten;

  /**
   * @param name of the files, to which {@code .0} and {@code .1} are added
   * @param maxBytes of both together
   * @param wallClockMs milliseconds since the epoch
   * @param checkpoint writes what each segment begins with
   */
  public JournalWriter(Path directory, String name, long maxBytes, String version, LongSupplier wallClockMs,
      RecordSource checkpoint) {
    this.files = new JournalFiles(directory, name);
    this.maxBytes = maxBytes;
    this.version = version;
    this.wallClockMs = wallClockMs;
    this.checkpoint = checkpoint;
  }

  /** Starts its thread. */
  public Thread start() {
    Thread thread = new Thread(this, "Dayu journal");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /**
   * Has something written, unless the queue is full; returns at once. Once writing has failed, everything is dropped.
   *
   * @param elements how many elements it has, about
   */
  public void offer(RecordSource source, int elements) {
    int own = 1 + elements;
    if (failed || weight.get() > MAX_WEIGHT || !queue.offer(new Queued(source, own))) {
      dropped.incrementAndGet();
    } else {
      weight.addAndGet(own);
    }
  }

  /** Whether the caller should add its part of a checkpoint from the beginning. Asking resets it. */
  public boolean takeCheckpointWanted() {
    return checkpointWanted.getAndSet(false);
  }

  /** Changes the bound; a file that is larger than half of it is replaced or deleted with the next segment. */
  public void limit(long bytes) {
    maxBytes = bytes;
  }

  /** Bytes written, those that are overwritten by now included. */
  public long writtenBytes() {
    return written.get();
  }

  /** Whether writing has failed. */
  public boolean failed() {
    return failed;
  }

  /** Entries that were dropped. */
  public long droppedEntries() {
    return dropped.get();
  }

  /** Ends when all that was offered is written; does not wait for it. */
  public void end() {
    ending = true;
    queue.offer(new Queued(journal -> {}, 1)); // If the queue is full, the thread will come to its end by itself.
  }

  /** Waits for the end, for a short time. */
  public static void await(Thread thread) throws InterruptedException {
    thread.join(END_MS);
  }

  @Override
  public void run() {
    try {
      beginSegment();
      LOG.info("Dayu: recoveries are recorded in {} and {}, in at most {} bytes", files.path(0), files.path(1),
          maxBytes);
      for (Queued next = next(); next != null; next = next()) {
        weight.addAndGet(-next.weight());
        sayDropped();
        next.source().write(this::put);
      }
      files.close();
    } catch (IOException | UncheckedIOException e) {
      giveUp(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TooLargeException e) {
      stop();
      LOG.warn("Dayu: recoveries are no longer recorded, since a checkpoint of {} bytes takes too much of {} bytes; "
          + "expected at least {} bytes", checkpointBytes, maxBytes, CHECKPOINT_DIVISOR * checkpointBytes);
    } catch (RuntimeException | LinkageError e) {
      giveUp(e);
    } finally {
      close();
    }
  }

  private void giveUp(Throwable e) {
    stop();
    LOG.warn("Dayu: recoveries are no longer recorded in {}; recovery itself goes on", files.current(), e);
  }

  private void stop() {
    failed = true;
    dropped.addAndGet(queue.drainTo(new ArrayList<>()));
  }

  /** The next thing to write; null at the end. While there is none, the file has everything that was offered. */
  private Queued next() throws IOException, InterruptedException {
    Queued next = queue.poll();
    while (next == null && !ending) {
      files.flush();
      next = queue.poll(1, TimeUnit.SECONDS);
    }
    return next;
  }

  /** Says in the journal what was dropped since this was last said, and asks for a checkpoint to make up for it. */
  private void sayDropped() {
    long entries = dropped.get() - droppedSeen;
    if (entries > 0) {
      droppedSeen += entries;
      checkpointWanted.set(true);
    }
    notWritten += entries;
    if (notWritten > 0) {
      long count = notWritten;
      notWritten = 0;
      put(new JournalRecord.Dropped(wallClockMs.getAsLong(), count));
    }
  }

  private void put(JournalRecord next) {
    byte[] bytes = encoder.encode(next);
    checkpointBytes += inCheckpoint ? bytes.length : 0;
    try {
      if (!fits(bytes) && !inCheckpoint) {
        beginSegment();
      }
      if (fits(bytes)) {
        write(bytes);
      } else {
        notWritten++;
        droppedSeen++;
        dropped.incrementAndGet();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean fits(byte[] bytes) {
    return files.bytes() + bytes.length <= JournalFiles.maxBytes(maxBytes);
  }

  private void write(byte[] bytes) throws IOException {
    files.write(bytes);
    written.addAndGet(bytes.length);
  }

  private void beginSegment() throws IOException {
    files.begin(maxBytes);
    checkpointBytes = 0;
    write(JournalEncoder.magic());
    inCheckpoint = true;
    put(new JournalRecord.Begin(wallClockMs.getAsLong(), ++sequence, version));
    checkpoint.write(this::put);
    inCheckpoint = false;
    checkpointWanted.set(true);
    if (checkpointBytes > maxBytes / CHECKPOINT_DIVISOR) {
      throw new TooLargeException();
    }
  }

  private void close() {
    try {
      files.close();
    } catch (IOException e) {
      LOG.debug("Dayu: could not close {}", files.current(), e);
    }
  }
}
