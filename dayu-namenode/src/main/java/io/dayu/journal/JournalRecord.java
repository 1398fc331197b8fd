/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.journal;

import java.util.List;
import java.util.Map;

/**
 * One record of a journal. Immutable. Times are milliseconds since the epoch by the NameNode's clock, sizes bytes,
 * rates bytes a second. DataNodes have numbers; a {@link Node} record says what the number stands for in this segment.
 */
public sealed interface JournalRecord {

  /** When it was recorded. */
  long atMs();

  /**
   * The first record of each segment.
   *
   * @param sequence grows with each segment of a recording
   * @param version of Dayu
   */
  record Begin(long atMs, long sequence, String version) implements JournalRecord {
  }

  /** The settings that the NameNode reads, by key, as they are written. */
  record SettingValues(long atMs, Map<String, String> values) implements JournalRecord {
    public SettingValues {
      values = Map.copyOf(values);
    }
  }

  /**
   * A DataNode that is live, or what has changed of it.
   *
   * @param name host and port
   * @param accepts whether new replicas may go there
   * @param capacityInBytesPerSec B_total of what it receives; 0 if no agent has said it
   */
  record Node(long atMs, int node, String name, String rack, boolean accepts, long capacityInBytesPerSec,
      long capacityOutBytesPerSec) implements JournalRecord {
  }

  /** A DataNode is not live any more. */
  record NodeLost(long atMs, int node) implements JournalRecord {
  }

  /** What agents reported of foreground. */
  record Loads(long atMs, List<Load> loads) implements JournalRecord {
    public Loads {
      loads = List.copyOf(loads);
    }
  }

  /** Foreground of a node. */
  record Load(int node, long foregroundInBytesPerSec, long foregroundOutBytesPerSec) {
  }

  /**
   * Blocks that wait for copies.
   *
   * @param checkpoint whether they are a part of a checkpoint, rather than new
   */
  record Blocks(long atMs, boolean checkpoint, List<Block> blocks) implements JournalRecord {
    public Blocks {
      blocks = List.copyOf(blocks);
    }
  }

  /**
   * A block that waits, or an erasure-coded group of which an internal block is to be made.
   *
   * @param bytes its length; of a group, that of an internal block
   * @param risk level of HDFS's low-redundancy queue, 0 = highest
   * @param copies how many are to be made now
   * @param distinctRacks whether these must be on different racks
   * @param width how many sources send at once, 1 for a copy
   * @param sources nodes that can serve it
   */
  record Block(long id, long bytes, int risk, int copies, boolean distinctRacks, int width, List<Integer> sources) {
    public Block {
      sources = List.copyOf(sources);
    }

    /** A block that is copied. */
    public Block(long id, long bytes, int risk, int copies, boolean distinctRacks, List<Integer> sources) {
      this(id, bytes, risk, copies, distinctRacks, 1, sources);
    }
  }

  /**
   * What a timeslot came to.
   *
   * @param waitingBlocks in HDFS's queues after it
   * @param planMs how long reading what waits and planning took, without the commits
   * @param rejected transfers that were planned and refused at commit
   * @param redirected transfers under way that got another source or rate
   * @param evicted transfers under way that were given up for a better target
   * @param forStock blocks that were left to stock HDFS
   * @param started new transfers
   */
  record Plan(long atMs, long waitingBlocks, long planMs, int rejected, int redirected, int evicted, int forStock,
      List<Transfer> started) implements JournalRecord {
    public Plan {
      started = List.copyOf(started);
    }
  }

  /** The transfers under way, as a part of a checkpoint. */
  record Running(long atMs, List<Transfer> transfers) implements JournalRecord {
    public Running {
      transfers = List.copyOf(transfers);
    }
  }

  /**
   * A transfer. A block, or a group, has one at a time to a target.
   *
   * @param furtherSources of a rebuild, the nodes that it reads besides {@code source}
   */
  record Transfer(long block, long bytes, int source, int target, long rateBytesPerSec, List<Integer> furtherSources) {
    public Transfer {
      furtherSources = List.copyOf(furtherSources);
    }

    /** A copy. */
    public Transfer(long block, long bytes, int source, int target, long rateBytesPerSec) {
      this(block, bytes, source, target, rateBytesPerSec, List.of());
    }

    /** How many nodes it reads at once. */
    public int width() {
      return 1 + furtherSources.size();
    }
  }

  /** Transfers that have ended. */
  record Ended(long atMs, List<End> ends) implements JournalRecord {
    public Ended {
      ends = List.copyOf(ends);
    }
  }

  /**
   * The end of a transfer.
   *
   * @param endedMs when, as far as the NameNode knows
   * @param doneBytes what the target had received
   */
  record End(long endedMs, long block, int target, Outcome outcome, long doneBytes) {
  }

  /** How a transfer ends. */
  enum Outcome {
    /** The replica was made. */
    FINISHED,
    /** It was cancelled, or nobody needs it any more. */
    WITHDRAWN,
    /** For these reasons there is no replica. */
    SOURCE_FAILED, SOURCE_CORRUPT, TARGET_FAILED, AGENT_FAILED, NOT_IN_BLOCK_MAP
  }

  /** The state of Dayu on the NameNode, by the name of {@code RecoveryState}. */
  record State(long atMs, String state) implements JournalRecord {
  }

  /** No block waits, and no transfer is under way any more. */
  record Idle(long atMs) implements JournalRecord {
  }

  /** The checkpoint of this segment is complete. */
  record CheckpointEnd(long atMs) implements JournalRecord {
  }

  /** The number of entries that were dropped since the last such record: the disk was too slow, or the segment full. */
  record Dropped(long atMs, long entries) implements JournalRecord {
  }
}
