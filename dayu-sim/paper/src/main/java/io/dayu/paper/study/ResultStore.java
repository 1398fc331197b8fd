/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Results in a CSV file, one line each, written as they come, so that an interrupt loses none and a later run finds
 * them again by their options and by the program that made them. A line that an interrupt cut off is not read and done
 * anew. Single-threaded.
 */
public final class ResultStore implements AutoCloseable {
  private final String build;
  private final int columns;
  private final Map<String, double[]> known = new HashMap<>();
  private final BufferedWriter out;

  /**
   * @param build what made the results, see {@link BuildId}; those of another build stay in the file and are not used
   * @param columns names of the values
   */
  public ResultStore(Path file, String build, List<String> columns) throws IOException {
    this.build = build;
    this.columns = columns.size();
    String header = "build," + String.join(",", columns) + ",options";
    boolean fresh = !Files.exists(file) || Files.size(file) == 0;
    boolean torn = false;
    if (!fresh) {
      String text = Files.readString(file, StandardCharsets.UTF_8);
      torn = !text.endsWith("\n");
      List<String> lines = text.lines().toList();
      if (!lines.get(0).equals(header)) {
        throw new IOException(file + " is no file of results of this version: its first line is not " + header);
      }
      lines.stream().skip(1).limit(lines.size() - (torn ? 2L : 1L)).forEach(this::read);
    }
    out = Files.newBufferedWriter(file, StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    if (fresh) {
      out.write(header + "\n");
    } else if (torn) {
      out.write("\n");
    }
    out.flush();
  }

  /** Keeps results in memory only. */
  public static ResultStore inMemory() {
    return new ResultStore(new BufferedWriter(Writer.nullWriter()));
  }

  private ResultStore(BufferedWriter out) {
    build = "";
    columns = 0;
    this.out = out;
  }

  private void read(String line) {
    String[] fields = line.split(",", columns + 2);
    if (fields.length == columns + 2 && fields[0].equals(build)) {
      double[] values = new double[columns];
      try {
        for (int i = 0; i < columns; i++) {
          values[i] = Double.parseDouble(fields[i + 1]);
        }
      } catch (NumberFormatException e) {
        return; // Cut off by an interrupt, and gone on after by a later run.
      }
      known.put(fields[columns + 1], values);
    }
  }

  /** The values of these options, or null if they are not known yet. */
  public double[] get(String options) {
    return known.get(options);
  }

  /** Keeps values, in memory and in the file. */
  public void put(String options, double[] values) throws IOException {
    StringBuilder line = new StringBuilder(build);
    for (double value : values) {
      line.append(',').append(value);
    }
    out.write(line.append(',').append(options).append('\n').toString());
    out.flush();
    known.put(options, values);
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
