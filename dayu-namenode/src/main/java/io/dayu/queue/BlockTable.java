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
 * A table of blocks. A block is a row of {@link #CELLS} numbers, one after the other, since rows are read in any order
 * and each line of memory that is not in the processor's caches costs more than all else; {@link RowIndex} finds it by
 * its id. The nodes and racks of a usual block (no more than {@link #INLINE} altogether) stand in its row, those of
 * others, and of blocks of which the caller keeps more, in a table of their own. Nodes and racks are numbers of the
 * caller's. Not thread-safe.
 */
public abstract class BlockTable {
  static final int NONE = -1;
  private static final int INLINE = 4;
  private static final double GROWTH = 1.15;
  /** A table of more rows than these that is hardly filled gives memory back. */
  private static final int MIN_SHRUNK_ROWS = 16_384;
  private static final int MIN_FILLED = 4;
  /** How many usual blocks take as much memory as one whose nodes and racks do not fit into its row. */
  private static final int OVERFLOW_WEIGHT = 4;

  // What a row's flags hold, from the lowest bit on.
  private static final int RISK_BITS = 3;
  private static final int DISTINCT = 1 << 3;
  private static final int OVERFLOWS = 1 << 4;
  private static final int SOURCES_SHIFT = 5;
  private static final int HOLDERS_SHIFT = 8;
  private static final int RACKS_SHIFT = 11;
  private static final int SELECTED = 1 << 14;
  private static final int TRIED = 1 << 15;
  private static final int TYPES_SHIFT = 16;
  private static final int COPIES_SHIFT = 24;
  private static final int MAX_COPIES = 255;
  private static final long LOWER_HALF = 0xffff_ffffL;

  /**
   * The nodes and racks of a block that has more than fit into its row, or of which the caller keeps more.
   *
   * @param width how many sources send at once
   * @param detail what the caller keeps of the block
   */
  private record Ids(int sources, int holders, int[] all, int width, Object detail) {
  }

  // The cells of a row.
  static final int CELLS = 6;
  private static final int GENERATION = 1;
  private static final int BYTES = 2;
  /** The flags in the lower half, and the pass that set the row in the upper one. */
  private static final int FLAGS = 3;
  /** Nodes and racks, two in a cell. */
  private static final int IDS = 4;

  private int size;
  private int rows;
  private int freeRow = NONE;
  /** The first cell of a row is the block's id. */
  private long[] cells = new long[16 * CELLS];
  private Object[] stored = new Object[16];
  private Map<Integer, Ids> overflow = new HashMap<>();
  private RowIndex index = new RowIndex();
  private byte pass;

  /** Number of blocks. */
  public int size() {
    return size;
  }

  /** What the blocks weigh: a usual one 1, as much as its memory, and another one as many as that takes. */
  public long weight() {
    return size + (OVERFLOW_WEIGHT - 1L) * overflow.size();
  }

  /** What the row's block weighs. */
  int weight(int row) {
    return (flags(row) & OVERFLOWS) != 0 ? OVERFLOW_WEIGHT : 1;
  }

  /** Number of rows that there is room for. */
  int capacity() {
    return stored.length;
  }

  /** One more than the highest row that was ever in use; some rows below it may be free now. */
  public int rows() {
    return rows;
  }

  /** Whether a block stands in this row. */
  public boolean isUsed(int row) {
    return row < rows && blockId(row) != Long.MIN_VALUE;
  }

  /** The row of this block, or -1. */
  int find(long id) {
    return index.find(id, cells);
  }

  /** Adds a row for a block that has none; the caller has to {@link #set} it. */
  int add(long id) {
    int row = takeRow();
    cells[CELLS * row + FLAGS] = 0;
    cells[CELLS * row] = id;
    index.add(row, cells);
    size++;
    return row;
  }

  private int takeRow() {
    if (freeRow != NONE) {
      int row = freeRow;
      freeRow = (int) cells[CELLS * row + IDS];
      return row;
    }
    if (rows == stored.length) {
      resize((int) Math.min(Integer.MAX_VALUE / CELLS, Math.max(rows + 16L, (long) (GROWTH * rows))));
    }
    return rows++;
  }

  private void resize(int newRows) {
    cells = Arrays.copyOf(cells, CELLS * newRows);
    stored = Arrays.copyOf(stored, newRows);
  }

  /**
   * Replaces the data of a row's block.
   *
   * @param all the block's sources, then other nodes that must not receive it, then the racks that must not
   * @param width how many sources send at once: 1 unless internal blocks of a group are rebuilt
   * @param detail what the caller keeps of a group, or of another block that it knows more of; else null
   * @param storedBlock what else the caller keeps of any block, or null
   */
  void set(int row, long generationStamp, long numBytes, int risk, int copies, boolean distinctRacks, int storageTypes,
      int[] all, int sources, int holders, int width, Object detail, Object storedBlock) {
    int first = CELLS * row;
    cells[first + GENERATION] = generationStamp;
    cells[first + BYTES] = numBytes;
    stored[row] = storedBlock;
    int racks = all.length - sources - holders;
    boolean overflows = all.length > INLINE || detail != null;
    setFlags(row, risk | (distinctRacks ? DISTINCT : 0) | storageTypes << TYPES_SHIFT
        | Math.min(copies, MAX_COPIES) << COPIES_SHIFT
        | (overflows ? OVERFLOWS : sources << SOURCES_SHIFT | holders << HOLDERS_SHIFT | racks << RACKS_SHIFT), pass);
    if (overflows) {
      overflow.put(row, new Ids(sources, holders, all, width, detail));
      return;
    }
    if (!overflow.isEmpty()) {
      overflow.remove(row);
    }
    for (int cell = 0; 2 * cell < all.length; cell++) {
      int second = 2 * cell + 1 < all.length ? all[2 * cell + 1] : 0;
      cells[first + IDS + cell] = all[2 * cell] & LOWER_HALF | (long) second << Integer.SIZE;
    }
  }

  private int flags(int row) {
    return (int) cells[CELLS * row + FLAGS];
  }

  private byte lastPass(int row) {
    return (byte) (cells[CELLS * row + FLAGS] >>> Integer.SIZE);
  }

  private void setFlags(int row, int flags, byte lastPass) {
    cells[CELLS * row + FLAGS] = flags & LOWER_HALF | (lastPass & 0xffL) << Integer.SIZE;
  }

  /** Removes a row, which may be in use again soon. */
  void free(int row) {
    index.remove(row, cells);
    overflow.remove(row);
    // Nothing else is in the row of a removed block.
    setFlags(row, 0, (byte) 0);
    cells[CELLS * row + IDS] = freeRow;
    freeRow = row;
    cells[CELLS * row] = Long.MIN_VALUE;
    stored[row] = null;
    size--;
  }

  /**
   * Gives memory back if less than a quarter of the table is in use: the rows move together, in their order.
   *
   * @return by former row its new one, or -1 for one that was free; null if nothing has changed
   */
  int[] shrinkRows() {
    if (stored.length <= MIN_SHRUNK_ROWS || MIN_FILLED * (long) size > stored.length) {
      return null;
    }
    int[] moved = new int[rows];
    int next = 0;
    for (int row = 0; row < rows; row++) {
      moved[row] = isUsed(row) ? next++ : NONE;
      if (moved[row] != NONE) {
        System.arraycopy(cells, CELLS * row, cells, CELLS * moved[row], CELLS);
        stored[moved[row]] = stored[row];
      }
    }
    resize(Math.max(16, (int) (GROWTH * size)));
    // What has moved is no longer where it was.
    Arrays.fill(stored, next, stored.length, null);
    Map<Integer, Ids> before = overflow;
    overflow = new HashMap<>();
    before.forEach((row, many) -> overflow.put(moved[row], many));
    index = new RowIndex();
    rows = next;
    freeRow = NONE;
    for (int row = 0; row < rows; row++) {
      index.add(row, cells);
    }
    return moved;
  }

  public void clear() {
    size = 0;
    rows = 0;
    freeRow = NONE;
    overflow.clear();
    index.clear();
    Arrays.fill(stored, null);
    pass = 0;
  }

  /** Begins another pass over all blocks that wait. */
  void beginPass() {
    pass++;
  }

  /** Whether the row was set neither in this pass nor in the one before. */
  boolean isOutdated(int row) {
    return lastPass(row) != pass && lastPass(row) != (byte) (pass - 1);
  }

  /** Whether the row is marked as selected. A row that was set or freed since it was marked is not. */
  boolean isSelected(int row) {
    return (flags(row) & SELECTED) != 0;
  }

  void setSelected(int row, boolean isSelected) {
    setFlags(row, isSelected ? flags(row) | SELECTED : flags(row) & ~SELECTED, lastPass(row));
  }

  /** Whether the row was selected and is still here, that is, was not planned. A row that was set since is not. */
  boolean isTried(int row) {
    return (flags(row) & TRIED) != 0;
  }

  void setTried(int row) {
    setFlags(row, flags(row) | TRIED, lastPass(row));
  }

  public long blockId(int row) {
    return cells[CELLS * row];
  }

  public long generation(int row) {
    return cells[CELLS * row + GENERATION];
  }

  public long bytes(int row) {
    return cells[CELLS * row + BYTES];
  }

  public int risk(int row) {
    return flags(row) & (1 << RISK_BITS) - 1;
  }

  public int copies(int row) {
    return flags(row) >>> COPIES_SHIFT;
  }

  public boolean distinctRacks(int row) {
    return (flags(row) & DISTINCT) != 0;
  }

  public int storageTypes(int row) {
    return flags(row) >>> TYPES_SHIFT & 0xff;
  }

  /** How many of its sources send at once: 1 unless internal blocks of a group are rebuilt. */
  public int width(int row) {
    return (flags(row) & OVERFLOWS) != 0 ? overflow.get(row).width : 1;
  }

  /** What the caller keeps of any block, or null. */
  public Object stored(int row) {
    return stored[row];
  }

  /** What the caller keeps of the block; mostly null. */
  public Object detail(int row) {
    return (flags(row) & OVERFLOWS) != 0 ? overflow.get(row).detail : null;
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
    return (flags(row) & OVERFLOWS) != 0 ? overflow.get(row).sources : flags(row) >>> SOURCES_SHIFT & 7;
  }

  /** Number of other nodes that must not receive it, which follow the sources. */
  public int holders(int row) {
    return (flags(row) & OVERFLOWS) != 0 ? overflow.get(row).holders : flags(row) >>> HOLDERS_SHIFT & 7;
  }

  /** Number of racks that must not receive it, which follow the nodes. */
  public int racks(int row) {
    if ((flags(row) & OVERFLOWS) != 0) {
      Ids many = overflow.get(row);
      return many.all.length - many.sources - many.holders;
    }
    return flags(row) >>> RACKS_SHIFT & 7;
  }

  public int id(int row, int i) {
    return (flags(row) & OVERFLOWS) != 0 ? overflow.get(row).all[i] : inlineId(row, i);
  }

  private int inlineId(int row, int i) {
    return (int) (cells[CELLS * row + IDS + i / 2] >>> Integer.SIZE * (i % 2));
  }
}
