/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.schedule.choice.NodeLoads;
import io.dayu.schedule.choice.RebuildSources;
import io.dayu.schedule.choice.SourceSelector;

import java.util.Arrays;

/**
 * Replaces sources of stragglers that are gone, can send nothing or are saturated (ATC'19 §4.4). A straggler keeps its
 * target and its progress. Not thread-safe; arrays are sized once and reused.
 *
 * <p>A source is <em>unfit</em> if it is to be replaced. A copy has one source. A rebuild has several: its place on
 * those that fit is held while others are sought, so that no other straggler takes it. Each source is replaced by the
 * best one, as for a new block. A rebuild needs all of its sources: if one is not found, none is replaced.
 */
final class SourceReplacement {
  private final StragglerTable table;
  private NodeLoads loads;
  private SourceSelector sources;
  private RebuildSources rebuildSources;
  /** By transfer that needs a source: the bytes that its other sources hold for it. */
  private long[] heldBytes = new long[0];
  /** Whether the source at this position is to be replaced. */
  private boolean[] unfit = new boolean[0];
  /** By position of a source that is to be replaced: the node that is reserved for it, or -1. */
  private int[] reserved = new int[0];
  /** By transfer: the bytes that each of these nodes, and the target, has reserved for it. */
  private long[] reservedBytes = new long[0];
  private int stragglersWithReserved;
  /** Whether the last replacement failed since the target had no room, not since a source was missing. */
  private boolean refusedByTarget;
  /** The sources of a straggler before new ones are sought. */
  private int[] kept = new int[1];

  SourceReplacement(StragglerTable table) {
    this.table = table;
  }

  /** Begins a plan; the table has begun it already. */
  void begin(NodeLoads planLoads, SourceSelector planSources, RebuildSources planRebuildSources) {
    loads = planLoads;
    sources = planSources;
    rebuildSources = planRebuildSources;
    int transfers = table.transfers();
    if (heldBytes.length < transfers) {
      heldBytes = new long[transfers];
      reservedBytes = new long[transfers];
    }
    if (unfit.length < table.firstSource(transfers)) {
      unfit = new boolean[table.firstSource(transfers)];
      reserved = new int[table.firstSource(transfers)];
    }
    Arrays.fill(reserved, 0, table.firstSource(transfers), -1);
    stragglersWithReserved = 0;
  }

  /** Finds sources that are gone or can send nothing. */
  boolean findUnable(int r) {
    boolean any = false;
    for (int i = table.firstSource(r); i < table.firstSource(r + 1); i++) {
      unfit[i] = table.source(i) < 0 || loads.volumeOut(table.source(i)) == 0;
      any |= unfit[i];
    }
    return any;
  }

  /** Finds sources that have more to send than they can within the horizon. */
  boolean findOverloaded(int r) {
    boolean any = false;
    for (int i = table.firstSource(r); i < table.firstSource(r + 1); i++) {
      unfit[i] = isOverloaded(table.source(i));
      any |= unfit[i];
    }
    return any;
  }

  private boolean isOverloaded(int node) {
    return loads.assignedOut(node) > loads.volumeOut(node);
  }

  /**
   * Takes the straggler off its nodes until the sources that were found unfit are replaced. Keeps the place of a
   * rebuild on the others; a copy has no others.
   *
   * @param bytes what each of the others holds for it
   */
  void seek(int r, long bytes) {
    heldBytes[r] = bytes;
    table.seekSource(r);
    hold(r);
  }

  private void hold(int r) {
    for (int i = table.firstSource(r); i < table.firstSource(r + 1); i++) {
      if (!unfit[i]) {
        loads.assignSource(table.source(i), heldBytes[r]);
      }
    }
  }

  /** What each of its sources that fit can send to the target within the horizon. */
  long movableOfFit(int r) {
    long bytes = Math.min(table.leftBytes(r), loads.volumeOfEach(table.target(r), table.width(r)));
    for (int i = table.firstSource(r); i < table.firstSource(r + 1); i++) {
      bytes = unfit[i] ? bytes : Math.min(bytes, loads.volumeOut(table.source(i)));
    }
    return bytes;
  }

  /** Gives up the places that it holds. */
  void releaseHeld(int r) {
    for (int i = table.firstSource(r); i < table.firstSource(r + 1); i++) {
      if (!unfit[i]) {
        loads.releaseSource(table.source(i), heldBytes[r]);
      }
    }
  }

  /** Gives up its places on saturated nodes; these are to be replaced, too. */
  void releaseOverloaded(int r) {
    for (int i = table.firstSource(r); i < table.firstSource(r + 1); i++) {
      if (!unfit[i] && isOverloaded(table.source(i))) {
        loads.releaseSource(table.source(i), heldBytes[r]);
        unfit[i] = true;
      }
    }
  }

  /**
   * Reserves nodes in place of the sources that do not fit, or of none of them, and the place on the target, if it fits
   * there. So stragglers that are put on their nodes after that do not take them.
   */
  void reserve(int r) {
    if (choose(r) && fitsOnTarget(r)) {
      reservedBytes[r] = table.movable(r);
      for (int i = table.firstSource(r); i < table.firstSource(r + 1); i++) {
        if (unfit[i]) {
          reserved[i] = table.source(i);
          loads.assignSource(reserved[i], reservedBytes[r]);
        }
      }
      loads.expect(table.target(r), reservedBytes[r], table.width(r));
      stragglersWithReserved++;
    }
    putBack(r);
  }

  /** Whether anything is reserved. */
  boolean hasReserved() {
    return stragglersWithReserved > 0;
  }

  /** Whether the last {@link #replace} found sources, and no room on the target. */
  boolean isRefusedByTarget() {
    return refusedByTarget;
  }

  /**
   * Gives up what is reserved for a straggler if it is in the way of another: on its target if that has refused it, or
   * on a holder of its block.
   *
   * @return whether it was
   */
  boolean releaseReservedInTheWay(int r, int other) {
    for (int i = table.firstSource(r); i < table.firstSource(r + 1); i++) {
      if (reserved[i] >= 0 && (refusedByTarget ? table.target(r) == table.target(other)
          : table.isHolder(table.task(other), reserved[i]))) {
        releaseReserved(r);
        return true;
      }
    }
    return false;
  }

  /** Gives up what is reserved for a straggler. */
  void releaseReserved(int r) {
    boolean any = false;
    for (int i = table.firstSource(r); i < table.firstSource(r + 1); i++) {
      if (reserved[i] >= 0) {
        loads.releaseSource(reserved[i], reservedBytes[r]);
        reserved[i] = -1;
        any = true;
      }
    }
    if (any) {
      loads.unexpect(table.target(r), reservedBytes[r], table.width(r));
      stragglersWithReserved--;
    }
  }

  /**
   * Replaces the sources that do not fit, or none of them: a rebuild needs all. If all are, no place is held any more.
   *
   * @return whether all are replaced, and the straggler saturates none of its nodes from there
   */
  boolean replace(int r) {
    boolean found = choose(r);
    releaseHeld(r);
    refusedByTarget = found && !fitsOnTarget(r);
    if (found && !refusedByTarget && !saturatesFit(r)) {
      return true;
    }
    putBack(r);
    hold(r);
    return false;
  }

  /** Chooses a node in place of each source that does not fit; {@link #putBack} takes that back. */
  private boolean choose(int r) {
    int first = table.firstSource(r);
    int width = table.width(r);
    if (kept.length < width) {
      kept = new int[width];
    }
    System.arraycopy(table.sources(), first, kept, 0, width);
    boolean found = true;
    for (int i = first; i < first + width && found; i++) {
      if (unfit[i]) {
        int chosen = select(r, null);
        found = chosen >= 0;
        table.setSource(i, chosen);
      }
    }
    return found;
  }

  private void putBack(int r) {
    for (int i = 0; i < table.width(r); i++) {
      table.setSource(table.firstSource(r) + i, kept[i]);
    }
  }

  /**
   * Chooses a source for the straggler beside those that it has.
   *
   * @param among if not null, only nodes that are true in it are considered
   * @return a node, or -1
   */
  int select(int r, boolean[] among) {
    long bytes = Math.min(table.leftBytes(r), loads.volumeOfEach(table.target(r), table.width(r)));
    return table.width(r) == 1 ? sources.select(table.task(r), bytes, among)
        : rebuildSources.selectBeside(table.task(r), bytes, table.sources(), table.firstSource(r),
            table.firstSource(r + 1), among);
  }

  /** Whether its target can take what the transfer moves with its new sources; one that stays there goes on anyway. */
  boolean fitsOnTarget(int r) {
    return table.isBegunRebuild(r) || !loads.saturatesTarget(table.target(r), table.movable(r), table.width(r));
  }

  /** Whether what the transfer moves with its new sources is too much for one that stays. */
  private boolean saturatesFit(int r) {
    long bytes = table.movable(r);
    for (int i = table.firstSource(r); i < table.firstSource(r + 1); i++) {
      if (!unfit[i] && loads.saturatesSource(table.source(i), bytes)) {
        return true;
      }
    }
    return false;
  }
}
