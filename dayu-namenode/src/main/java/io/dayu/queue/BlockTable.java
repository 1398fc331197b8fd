/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.queue;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A table of blocks. A block is a row of parallel arrays, which {@link RowIndex} finds by its id. The nodes and racks
 * of a usual block (no more than {@link #INLINE} altogether) stand in its row, those of others, and of blocks of which
 * the caller keeps more, in a table of their own. Nodes and racks are numbers of the caller's. Not thread-safe.
 */
public abstract class BlockTable {
  static final int NONE = -1;
  private static final int INLINE = 4;
  private static final double GROWTH = 1.25;
  /** A table of more rows than these that is hardly filled gives memory back. */
  private static final int MIN_SHRUNK_ROWS = 16_384;
  private static final int MIN_FILLED = 4;

  // What a row's flags hold, from the lowest bit on.
  private static final int RISK_BITS = 3;
  private static final int DISTINCT = 1 << 3;
  private static final int OVERFLOWS = 1 << 4;
  private static final int SOURCES_SHIFT = 5;
  private static final int HOLDERS_SHIFT = 8;
  private static final int RACKS_SHIFT = 11;
  private static final int SELECTED = 1 << 14;
  private static final int TYPES_SHIFT = 16;
  private static final int COPIES_SHIFT = 24;
  private static final int MAX_COPIES = 255;

  /**
   * The nodes and racks of a block that has more than fit into its row, or of which the caller keeps more.
   *
   * @param width how many sources send at once
   * @param detail what the caller keeps of the block
   */
  private record Ids(int sources, int holders, int[] all, int width, Object detail) {
  }

  private int size;
  private int rows;
  private int freeRow = NONE;
  private long[] blockId = new long[16];
  private long[] generation = new long[16];
  private long[] bytes = new long[16];
  private int[] flags = new int[16];
  private byte[] lastPass = new byte[16];
  private int[] ids = new int[16 * INLINE];
  private Map<Integer, Ids> overflow = new HashMap<>();
  private RowIndex index = new RowIndex();
  private byte pass;

  /** Number of blocks. */
  public int size() {
    return size;
  }

  /** Number of rows that there is room for. */
  int capacity() {
    return flags.length;
  }

  /** One more than the highest row that was ever in use; some rows below it may be free now. */
  public int rows() {
    return rows;
  }

  /** Whether a block stands in this row. */
  public boolean isUsed(int row) {
    return row < rows && blockId[row] != Long.MIN_VALUE;
  }

  /** The row of this block, or -1. */
  int find(long id) {
    return index.find(id, blockId);
  }

  /** Adds a row for a block that has none; the caller has to {@link #set} it. */
  int add(long id) {
    int row = takeRow();
    flags[row] = 0;
    blockId[row] = id;
    index.add(row, blockId);
    size++;
    return row;
  }

  private int takeRow() {
    if (freeRow != NONE) {
      int row = freeRow;
      freeRow = ids[INLINE * row];
      return row;
    }
    if (rows == flags.length) {
      int longer = (int) Math.min(Integer.MAX_VALUE / INLINE, Math.max(rows + 16L, (long) (GROWTH * rows)));
      blockId = Arrays.copyOf(blockId, longer);
      generation = Arrays.copyOf(generation, longer);
      bytes = Arrays.copyOf(bytes, longer);
      flags = Arrays.copyOf(flags, longer);
      lastPass = Arrays.copyOf(lastPass, longer);
      ids = Arrays.copyOf(ids, INLINE * longer);
    }
    return rows++;
  }

  /**
   * Replaces the data of a row's block.
   *
   * @param all the block's sources, then other nodes that must not receive it, then the racks that must not
   * @param width how many sources send at once: 1 unless internal blocks of a group are rebuilt
   * @param detail what the caller keeps of a group, or of another block that it knows more of; else null
   */
  void set(int row, long generationStamp, long numBytes, int risk, int copies, boolean distinctRacks, int storageTypes,
      int[] all, int sources, int holders, int width, Object detail) {
    generation[row] = generationStamp;
    bytes[row] = numBytes;
    lastPass[row] = pass;
    int racks = all.length - sources - holders;
    boolean overflows = all.length > INLINE || detail != null;
    flags[row] = risk | (distinctRacks ? DISTINCT : 0) | storageTypes << TYPES_SHIFT
        | Math.min(copies, MAX_COPIES) << COPIES_SHIFT
        | (overflows ? OVERFLOWS : sources << SOURCES_SHIFT | holders << HOLDERS_SHIFT | racks << RACKS_SHIFT);
    if (overflows) {
      overflow.put(row, new Ids(sources, holders, all, width, detail));
    } else {
      overflow.remove(row);
      System.arraycopy(all, 0, ids, INLINE * row, all.length);
    }
  }

  /** Removes a row, which may be in use again soon. */
  void free(int row) {
    index.remove(row, blockId);
    overflow.remove(row);
    flags[row] = 0;
    // Nothing else is in the row of a removed block.
    ids[INLINE * row] = freeRow;
    freeRow = row;
    blockId[row] = Long.MIN_VALUE;
    size--;
  }

  /**
   * Gives memory back if less than a quarter of the table is in use: the rows move together, in their order.
   *
   * @return by former row its new one, or -1 for one that was free; null if nothing has changed
   */
  int[] shrinkRows() {
    if (flags.length <= MIN_SHRUNK_ROWS || MIN_FILLED * (long) size > flags.length) {
      return null;
    }
    int[] moved = new int[rows];
    int next = 0;
    for (int row = 0; row < rows; row++) {
      moved[row] = isUsed(row) ? next++ : NONE;
      if (moved[row] != NONE) {
        move(row, moved[row]);
      }
    }
    int shorter = Math.max(16, (int) (GROWTH * size));
    blockId = Arrays.copyOf(blockId, shorter);
    generation = Arrays.copyOf(generation, shorter);
    bytes = Arrays.copyOf(bytes, shorter);
    flags = Arrays.copyOf(flags, shorter);
    lastPass = Arrays.copyOf(lastPass, shorter);
    ids = Arrays.copyOf(ids, INLINE * shorter);
    Map<Integer, Ids> before = overflow;
    overflow = new HashMap<>();
    before.forEach((row, many) -> overflow.put(moved[row], many));
    index = new RowIndex();
    rows = next;
    freeRow = NONE;
    for (int row = 0; row < rows; row++) {
      index.add(row, blockId);
    }
    return moved;
  }

  /** Copies a row to a lower one. */
  private void move(int from, int to) {
    blockId[to] = blockId[from];
    generation[to] = generation[from];
    bytes[to] = bytes[from];
    flags[to] = flags[from];
    lastPass[to] = lastPass[from];
    System.arraycopy(ids, INLINE * from, ids, INLINE * to, INLINE);
  }

  public void clear() {
    size = 0;
    rows = 0;
    freeRow = NONE;
    overflow.clear();
    index.clear();
    pass = 0;
  }

  /** Begins another pass over all blocks that wait. */
  void beginPass() {
    pass++;
  }

  /** Whether the row was set neither in this pass nor in the one before. */
  boolean isOutdated(int row) {
    return lastPass[row] != pass && lastPass[row] != (byte) (pass - 1);
  }

  /** Whether the row is marked as selected. A row that was set or freed since it was marked is not. */
  boolean isSelected(int row) {
    return (flags[row] & SELECTED) != 0;
  }

  void setSelected(int row, boolean isSelected) {
    flags[row] = isSelected ? flags[row] | SELECTED : flags[row] & ~SELECTED;
  }

  public long blockId(int row) {
    return blockId[row];
  }

  public long generation(int row) {
    return generation[row];
  }

  public long bytes(int row) {
    return bytes[row];
  }

  public int risk(int row) {
    return flags[row] & (1 << RISK_BITS) - 1;
  }

  public int copies(int row) {
    return flags[row] >>> COPIES_SHIFT;
  }

  public boolean distinctRacks(int row) {
    return (flags[row] & DISTINCT) != 0;
  }

  public int storageTypes(int row) {
    return flags[row] >>> TYPES_SHIFT & 0xff;
  }

  /** How many of its sources send at once: 1 unless internal blocks of a group are rebuilt. */
  public int width(int row) {
    return (flags[row] & OVERFLOWS) != 0 ? overflow.get(row).width : 1;
  }

  /** What the caller keeps of the block; mostly null. */
  public Object detail(int row) {
    return (flags[row] & OVERFLOWS) != 0 ? overflow.get(row).detail : null;
  }

  /** Bytes that the target of a copy, or of an internal block that is rebuilt, receives. */
  public long receivedBytes(int row) {
    return width(row) * bytes(row);
  }

  /** Bytes that a source of the block may be expected to send for each copy; of a rebuild, its share of them. */
  long sourceBytes(int row) {
    int width = width(row);
    return width == 1 ? bytes(row) : Math.max(1, width * bytes(row) / sources(row));
  }

  /** Number of the block's sources: the first of its {@link #id}s. */
  public int sources(int row) {
    return (flags[row] & OVERFLOWS) != 0 ? overflow.get(row).sources : flags[row] >>> SOURCES_SHIFT & 7;
  }

  /** Number of other nodes that must not receive it, which follow the sources. */
  public int holders(int row) {
    return (flags[row] & OVERFLOWS) != 0 ? overflow.get(row).holders : flags[row] >>> HOLDERS_SHIFT & 7;
  }

  /** Number of racks that must not receive it, which follow the nodes. */
  public int racks(int row) {
    if ((flags[row] & OVERFLOWS) != 0) {
      Ids many = overflow.get(row);
      return many.all.length - many.sources - many.holders;
    }
    return flags[row] >>> RACKS_SHIFT & 7;
  }

  public int id(int row, int i) {
    return (flags[row] & OVERFLOWS) != 0 ? overflow.get(row).all[i] : ids[INLINE * row + i];
  }
}
