/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.replay;

import io.dayu.journal.JournalRecord.Outcome;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One recovery of a journal: from the first block that lacked a copy until none did. Immutable. Times are milliseconds
 * since the epoch, nodes are indices of {@link RecordedJournal#nodes}.
 *
 * @param span when it was
 * @param blocks with the copies that were made; where the end was not seen, with those that were still to be made too
 * @param notCopied copies that were waited for and not made by Dayu: stock HDFS made them, or the block was deleted
 * @param goneAtBegin nodes that were not live when it began
 * @param lostMs nodes that were lost in it, with the time
 * @param transfers what Dayu did
 * @param states states of Dayu within it, other than {@code DAYU}: stock HDFS recovered meanwhile
 * @param settings at its begin, by key
 */
public record RecordedRecovery(Span span, List<RecordedBlock> blocks, int notCopied, Set<Integer> goneAtBegin,
    Map<Integer, Long> lostMs, Transfers transfers, List<String> states, Map<String, String> settings) {
  /**
   * From the first block that lacked a copy until none did.
   *
   * @param beginMs when it began, or when the journal did
   * @param endMs when the last copy was made, or when the journal ends
   * @param beginSeen whether the journal has its begin; else it has only what was left then
   * @param endSeen whether the journal has its end
   */
  public record Span(long beginMs, long endMs, boolean beginSeen, boolean endSeen) {
  }

  /**
   * What Dayu did.
   *
   * @param plans timeslots that were planned
   * @param outcomes how many transfers ended how
   * @param wastedBytes received for transfers that made no replica
   */
  public record Transfers(int plans, Map<Outcome, Integer> outcomes, long wastedBytes) {
    public Transfers {
      outcomes = Map.copyOf(outcomes);
    }
  }

  public RecordedRecovery {
    blocks = List.copyOf(blocks);
    goneAtBegin = Set.copyOf(goneAtBegin);
    lostMs = Map.copyOf(lostMs);
    states = List.copyOf(states);
    settings = Map.copyOf(settings);
  }

  /** Copies that were to be made. */
  public int copies() {
    return blocks.stream().mapToInt(block -> block.lackedMs().size()).sum();
  }

  /** Bytes of the copies that were to be made. */
  public long bytes() {
    return blocks.stream().mapToLong(block -> block.bytes() * block.lackedMs().size()).sum();
  }

  public double seconds() {
    return (span.endMs - span.beginMs) / 1000.0;
  }

  /** When each block had all of its copies, in seconds since the begin, in order; infinite for those that had not. */
  public double[] recoveredSec() {
    double[] seconds = blocks.stream()
        .mapToDouble(block -> block.finishedMs().size() < block.lackedMs().size() ? Double.POSITIVE_INFINITY
            : (block.finishedMs().get(block.finishedMs().size() - 1) - span.beginMs) / 1000.0)
        .toArray();
    Arrays.sort(seconds);
    return seconds;
  }
}
