/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.model;

/**
 * A list of short int lists in two flat arrays: row r is {@code values[start(r)] .. values[end(r) - 1]}. Immutable once
 * built; {@link #values()} is the live array, for loops that must not allocate, and is not to be written to.
 */
public final class IntRows {
  private final int[] starts;
  private final int[] values;
  private final int min;
  private final int max;

  private IntRows(int[] starts, int[] values, int min, int max) {
    this.starts = starts;
    this.values = values;
    this.min = min;
    this.max = max;
  }

  public int rows() {
    return starts.length - 1;
  }

  public int start(int row) {
    return starts[row];
  }

  public int end(int row) {
    return starts[row + 1];
  }

  public int[] values() {
    return values;
  }

  public boolean contains(int row, int value) {
    for (int i = starts[row]; i < starts[row + 1]; i++) {
      if (values[i] == value) {
        return true;
      }
    }
    return false;
  }

  /** Costs nothing if all is well: a snapshot is checked each time that it is made with other settings. */
  void checkValues(String field, int limit) {
    if (min >= 0 && max < limit) {
      return;
    }
    for (int row = 0; row < rows(); row++) {
      for (int i = starts[row]; i < starts[row + 1]; i++) {
        Preconditions.within(field, row, values[i], 0, limit - 1L);
      }
    }
  }

  /** Grows row by row. Not thread-safe. */
  public static final class Builder {
    private final IntList starts = new IntList();
    private final IntList values = new IntList();
    private int min;
    private int max = -1;

    public Builder() {
      starts.add(0);
    }

    /** Adds to the row being built. */
    public Builder add(int value) {
      values.add(value);
      min = Math.min(min, value);
      max = Math.max(max, value);
      return this;
    }

    /** Ends the row being built and begins the next. */
    public Builder endRow() {
      starts.add(values.size());
      return this;
    }

    public IntRows build() {
      return new IntRows(starts.toArray(), values.toArray(), min, max);
    }
  }
}
