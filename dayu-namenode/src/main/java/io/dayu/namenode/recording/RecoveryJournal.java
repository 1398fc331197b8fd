/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.recording;

import io.dayu.blocks.CommitResult;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.WaitingBlock;
import io.dayu.conf.DayuVersion;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.journal.JournalRecord;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.journal.JournalWriter;
import io.dayu.namenode.planning.TimeslotDecision;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.EndedTransfer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Tells the journal what the recovery loop sees, if {@code dayu.namenode.journal.max-bytes} says that there is one. It
 * hands over what does not change any more; {@link JournalRecordBuilder} makes records of it on the journal's thread.
 * Owned by the recovery loop; only the counters are for all threads.
 */
public final class RecoveryJournal {
  private static final Logger LOG = LoggerFactory.getLogger(RecoveryJournal.class);
  /** Blocks of a checkpoint that are handed over in one tick. */
  private static final int PIECE = 1_000;
  private static final int NO_CHECKPOINT = -1;

  /** What the journal sees of the loop at the end of a tick. */
  public interface View {
    String state();

    Map<String, LiveNode> nodes();

    List<Attempt> transfers();

    /** Whether nothing waits and nothing is under way. */
    boolean isIdle();

    /** Reads waiting blocks from a row on; the answer is where to go on, or below 0 at the end. */
    int readWaiting(int fromRow, int limit, List<WaitingBlock> read);
  }

  private final Settings settings;
  private final String name;
  private final LongSupplier wallClockMs;
  private volatile JournalWriter writer;
  private Thread thread;
  private JournalRecordBuilder contents;
  private long maxBytes;
  private long startNs;
  private long startMs;
  private boolean failing;

  private List<JournalRecordBuilder.Reported> reported = new ArrayList<>();
  private List<EndedTransfer> ended = new ArrayList<>();
  private Map<String, LiveNode> nodes;
  private String state;
  private boolean idle;
  private int checkpointRow;
  private boolean restartSaid;

  /**
   * @param namenodeId names the files
   * @param wallClockMs milliseconds since the epoch
   */
  public RecoveryJournal(Settings settings, String namenodeId, LongSupplier wallClockMs) {
    this.settings = settings;
    this.name = "dayu-journal-" + namenodeId.replaceAll("[^\\w.-]", "-");
    this.wallClockMs = wallClockMs;
  }

  /** Bytes written since the recording began; 0 if there is none. Safe for use by all threads. */
  public long writtenBytes() {
    JournalWriter now = writer;
    return now == null ? 0 : now.writtenBytes();
  }

  /** Entries that were not recorded. Safe for use by all threads. */
  public long droppedEntries() {
    JournalWriter now = writer;
    return now == null ? 0 : now.droppedEntries();
  }

  /** An agent has reported this load. */
  public void reported(String uuid, NodeLoad load) {
    if (writer != null) {
      reported.add(new JournalRecordBuilder.Reported(uuid, load));
    }
  }

  /** These transfers have ended. */
  public void ended(List<EndedTransfer> transfers) {
    if (writer != null) {
      ended.addAll(transfers);
    }
  }

  /**
   * A timeslot was planned and carried out.
   *
   * @param results of the new transfers
   * @param waitingBlocks counts the blocks that wait, under a lock of HDFS; asked only if there is a recording
   */
  public void planned(TimeslotDecision decision, List<CommitResult> results, LongSupplier waitingBlocks, long nowNs) {
    if (writer != null) {
      JournalRecordBuilder to = contents;
      long atMs = ms(nowNs);
      List<WaitingBlock> added = decision.added();
      if (!added.isEmpty()) {
        writer.offer(journal -> to.blocks(atMs, false, added, journal), added.size());
      }
      long waiting = waitingBlocks.getAsLong();
      writer.offer(journal -> to.plan(atMs, decision, results, waiting, journal), results.size());
    }
  }

  /** Ends each tick: follows the setting, and records what has changed. A failure here must not stop recovery. */
  public void tick(View view, long nowNs) {
    try {
      follow(nowNs);
      if (writer != null) {
        record(view, nowNs);
      }
      failing = false;
    } catch (RuntimeException | LinkageError e) {
      if (!failing) {
        failing = true;
        LOG.warn("Dayu: the recovery could not be recorded; recovery itself goes on", e);
      }
    }
  }

  /** Ends the recording, and gives the disk a moment. */
  public void close() {
    if (writer != null) {
      end();
      try {
        JournalWriter.await(thread);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void end() {
    writer.end();
    writer = null;
    contents = null;
    reported = new ArrayList<>();
    ended = new ArrayList<>();
  }

  private void follow(long nowNs) {
    long wanted = settings.bytes(Setting.JOURNAL_MAX_BYTES);
    boolean failed = writer != null && writer.failed();
    boolean endsStill = (writer == null || failed) && thread != null && thread.isAlive();
    if (wanted == maxBytes || endsStill && wanted > 0) {
      return; // Two writers would write the same files.
    }
    maxBytes = wanted;
    if (wanted == 0) {
      if (writer != null) {
        LOG.info("Dayu: recoveries are no longer recorded");
        end();
      }
    } else if (writer != null && !failed) {
      writer.limit(wanted);
    } else {
      if (failed) {
        end();
      }
      begin(nowNs);
    }
  }

  private void begin(long nowNs) {
    String directory = settings.path(Setting.JOURNAL_DIRECTORY);
    if (!directory.startsWith("/")) {
      LOG.warn("Dayu: nothing is recorded, since {} = {} is no full path", Setting.JOURNAL_DIRECTORY.key(), directory);
      return;
    }
    startNs = nowNs;
    startMs = wallClockMs.getAsLong();
    JournalRecordBuilder fresh = new JournalRecordBuilder(settings, startMs);
    contents = fresh;
    nodes = null;
    state = "";
    idle = false;
    checkpointRow = NO_CHECKPOINT;
    restartSaid = false;
    JournalWriter started =
        new JournalWriter(Path.of(directory), name, maxBytes, DayuVersion.only(), wallClockMs, fresh::checkpoint);
    try {
      thread = started.start();
      writer = started;
    } catch (OutOfMemoryError e) {
      LOG.warn("Dayu: nothing is recorded, since no thread could be started for it; recovery itself goes on", e);
    }
  }

  private long ms(long nowNs) {
    return startMs + TimeUnit.NANOSECONDS.toMillis(nowNs - startNs);
  }

  private void record(View view, long nowNs) {
    JournalRecordBuilder to = contents;
    long atMs = ms(nowNs);
    String stateNow = view.state();
    if (!stateNow.equals(state)) {
      state = stateNow;
      writer.offer(journal -> to.state(atMs, stateNow, journal), 0);
    }
    Map<String, LiveNode> live = view.nodes();
    if (live != nodes) {
      nodes = live;
      writer.offer(journal -> to.nodes(atMs, live, journal), live.size());
    }
    if (!reported.isEmpty()) {
      List<JournalRecordBuilder.Reported> loads = reported;
      reported = new ArrayList<>();
      writer.offer(journal -> to.loads(atMs, loads, journal), loads.size());
    }
    if (!ended.isEmpty()) {
      List<EndedTransfer> now = ended;
      ended = new ArrayList<>();
      List<JournalRecordBuilder.TransferEnd> ends = now.stream().map(one -> new JournalRecordBuilder.TransferEnd(one,
          one.attempt().reportedDone() ? ms(one.attempt().reportedDoneNs()) : atMs)).toList();
      writer.offer(journal -> to.ended(atMs, ends, journal), ends.size());
    }
    boolean idleNow = view.isIdle();
    if (idleNow && !idle) {
      writer.offer(journal -> journal.accept(new JournalRecord.Idle(atMs)), 0);
    }
    idle = idleNow;
    checkpoint(view, atMs);
  }

  /** Hands over the next piece of the checkpoint, if one is being made. */
  private void checkpoint(View view, long atMs) {
    JournalRecordBuilder to = contents;
    if (writer.takeCheckpointWanted()) {
      if (checkpointRow != NO_CHECKPOINT && !restartSaid) {
        restartSaid = true;
        LOG.warn("Dayu: a checkpoint of the journal did not end before the next one; {} = {} is too small, or the disk "
            + "too slow", Setting.JOURNAL_MAX_BYTES.key(), settings.text(Setting.JOURNAL_MAX_BYTES));
      }
      checkpointRow = 0;
      List<JournalRecordBuilder.UnderWay> running =
          view.transfers().stream().filter(Attempt::live).map(JournalRecordBuilder.UnderWay::new).toList();
      writer.offer(journal -> to.running(atMs, running, journal), running.size());
    }
    if (checkpointRow != NO_CHECKPOINT) {
      List<WaitingBlock> piece = new ArrayList<>();
      checkpointRow = Math.max(NO_CHECKPOINT, view.readWaiting(checkpointRow, PIECE, piece));
      boolean last = checkpointRow == NO_CHECKPOINT;
      boolean nothingWaits = idle;
      writer.offer(journal -> {
        to.blocks(atMs, true, piece, journal);
        if (last) {
          journal.accept(new JournalRecord.CheckpointEnd(atMs));
        }
        if (last && nothingWaits) {
          journal.accept(new JournalRecord.Idle(atMs));
        }
      }, piece.size());
    }
  }
}
