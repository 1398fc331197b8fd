/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;

import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The DataNode's throttler of reads: counts and shapes what targets of recovery read here, and what stock HDFS's
 * reconstructions read, and lets clients' reads pass as before. HDFS calls it after each packet that it has sent, on
 * the thread that serves the reader; the thread's name says who that is. Safe for use by all threads.
 */
public final class RecoveryReadThrottler extends ReplacingThrottler {
  /** How HDFS's {@code DataXceiver} names a thread that serves a reader of this name. */
  private static final String THREAD_PREFIX = "DataXceiver for client " + SourceStream.CLIENT_NAME + " at ";
  /** The same for a reader that goes before others. */
  private static final String HIGHEST_RISK_PREFIX =
      "DataXceiver for client " + SourceStream.HIGHEST_RISK_CLIENT_NAME + " at ";
  /**
   * The same for a reader without a name: a DataNode that reconstructs a block of an erasure-coded group, or computes
   * the checksum of a group with a lost block for a client.
   */
  private static final String RECONSTRUCTION_PREFIX = "DataXceiver for client  at ";
  /** And what follows in that name before the block, which begins with its pool. */
  private static final String SENDING = "[Sending block ";
  private static final Pattern BLOCK = Pattern.compile(":blk_(-?\\d+)_(\\d+)\\]$");

  /** A throttler counts whole bytes in each of its periods, of which there are up to ten a second. */
  private static final long ROUNDING_BYTES_PER_SEC = 10;

  /** {@code BlockSender} passes the length of each packet. The empty one at the end of a complete read is this long. */
  private static final long EMPTY_PACKET_BYTES = Integer.BYTES;

  private final NodeShaper shaper;
  private final ServedReads served;
  private final StockReconstructions reconstructions;
  private final VolumeShapers volumes;
  private final Runnable blockServed;
  /** Whom this thread serves, as of its last packet. */
  private final ThreadLocal<Reader> readers = new ThreadLocal<>();

  /**
   * The reader that a thread serves, by the thread's name. HDFS sets the name with each request, and it is read only
   * then.
   */
  private static final class Reader {
    private final String thread;
    private final boolean isRecovery;
    private final boolean isReconstruction;
    private final String blockPool;
    private final FairQueue.Flow flow = new FairQueue.Flow();
    private final SentBatch batch;
    private final Optional<VolumeShaper> volume;
    private final VolumeShaper.Stream read = new VolumeShaper.Stream();
    /** Whether it has been sent bytes of a block: a target that only looks for a replica reads none. */
    private boolean hasBytes;

    private Reader(String thread, VolumeShapers volumes, int batchBytes) {
      this.thread = thread;
      this.batch = new SentBatch(batchBytes);
      this.isRecovery = thread.startsWith(THREAD_PREFIX);
      this.isReconstruction = thread.startsWith(RECONSTRUCTION_PREFIX);
      this.flow.setWeight(1, isAtHighestRisk(thread));
      this.read.setHighestRisk(isAtHighestRisk(thread));
      this.blockPool = isRecovery ? blockPool(thread) : "";
      this.volume = isRecovery ? Optional.ofNullable(block(thread)).flatMap(volumes::of) : Optional.empty();
    }
  }

  /**
   * @param replaced the throttler by the admin's own setting, {@code dfs.datanode.data.read.bandwidthPerSec}; null if
   *     there is none
   * @param served counts what targets of recovery have read
   * @param reconstructions shapes what stock HDFS's reconstructions read
   * @param blockServed is called when a target has been sent the last byte of a block
   */
  RecoveryReadThrottler(NodeShaper shaper, DataTransferThrottler replaced, ServedReads served,
      StockReconstructions reconstructions, VolumeShapers volumes, Runnable blockServed) {
    super(replaced);
    this.volumes = volumes;
    this.shaper = shaper;
    this.served = served;
    this.reconstructions = reconstructions;
    this.blockServed = blockServed;
  }

  /**
   * Installs a throttler of this class in the DataNode, which also keeps to the admin's own limit. Call it repeatedly:
   * {@code -reconfig} installs another throttler, and one that comes between our read and our write can be found in the
   * configuration only.
   */
  public static void install(DataNodeAccess node, NodeShaper shaper, ServedReads served,
      StockReconstructions reconstructions, VolumeShapers volumes) {
    DataTransferThrottler present = node.readThrottler();
    long limit = node.readLimitBytesPerSec();
    if (!(present instanceof RecoveryReadThrottler)) {
      node.setReadThrottler(
          new RecoveryReadThrottler(shaper, present, served, reconstructions, volumes, node::countReplicatedBlock));
    } else if (Math.abs(present.getBandwidth() - limit) > ROUNDING_BYTES_PER_SEC) {
      node.setReadThrottler(
          new RecoveryReadThrottler(shaper, limit > 0 ? new DataTransferThrottler(limit) : null, served,
              reconstructions, volumes, node::countReplicatedBlock));
    }
  }

  /** Puts the admin's own throttler back. */
  public static void remove(DataNodeAccess node) {
    node.setReadThrottler(adminsOwn(node.readThrottler()));
  }

  /**
   * The pool of the block that a thread of this name sends; empty if the name does not say. What HDFS appends comes
   * last; before it stands the reader's own name, which may hold anything.
   */
  static String blockPool(String thread) {
    int begin = thread.lastIndexOf(SENDING);
    int end = thread.indexOf(':', Math.max(begin, 0) + SENDING.length());
    return begin < 0 || end < 0 ? "" : thread.substring(begin + SENDING.length(), end);
  }

  /** The block that a thread of this name sends; null if the name does not say. */
  static ExtendedBlock block(String thread) {
    Matcher named = BLOCK.matcher(thread);
    return named.find()
        ? new ExtendedBlock(blockPool(thread), Long.parseLong(named.group(1)), 0, Long.parseLong(named.group(2)))
        : null;
  }

  /** Whether a reader goes before others, by the name of the thread that serves it. */
  static boolean isAtHighestRisk(String thread) {
    return thread.startsWith(HIGHEST_RISK_PREFIX);
  }

  @Override
  void pass(long bytes, BooleanSupplier cancelled) {
    Reader reader = reader();
    if (reader.isRecovery) {
      served.add(bytes > EMPTY_PACKET_BYTES ? reader.blockPool : "", bytes, System.nanoTime());
      countBlock(reader, bytes);
      shaper.activity().markActive();
      try {
        throttleLink(reader, (int) Math.min(bytes, Integer.MAX_VALUE), cancelled);
        if (reader.volume.isPresent()) {
          throttleDisk(reader, bytes, cancelled);
        }
      } catch (InterruptedException e) {
        // The DataNode stops; the caller notices it by the interrupt flag.
        Thread.currentThread().interrupt();
      }
    } else if (reader.isReconstruction) {
      reconstructions.serve(reader.flow, bytes, cancelled);
    }
  }

  private void throttleLink(Reader reader, int bytes, BooleanSupplier cancelled) throws InterruptedException {
    shaper.out().sent(bytes, System.nanoTime());
    int due = reader.batch.sent(bytes, bytes <= EMPTY_PACKET_BYTES);
    if (due > 0) {
      shaper.out().pass(reader.flow, due, cancelled);
    }
  }

  private static void throttleDisk(Reader reader, long bytes, BooleanSupplier cancelled) throws InterruptedException {
    VolumeShaper volume = reader.volume.get();
    if (bytes > EMPTY_PACKET_BYTES) {
      volume.acquireAfter(reader.read, (int) Math.min(bytes, Integer.MAX_VALUE), cancelled);
    } else {
      volume.ended(reader.read, System.nanoTime());
    }
  }

  private Reader reader() {
    String thread = Thread.currentThread().getName();
    Reader reader = readers.get();
    if (reader == null || !reader.thread.equals(thread)) {
      reader = new Reader(thread, volumes, shaper.out().batchBytes());
      readers.set(reader);
    }
    return reader;
  }

  private void countBlock(Reader reader, long bytes) {
    if (bytes > EMPTY_PACKET_BYTES) {
      reader.hasBytes = true;
    } else if (reader.hasBytes) {
      reader.hasBytes = false;
      blockServed.run();
    }
  }
}
