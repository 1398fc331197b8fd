/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.programs;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table in Markdown whose columns are aligned, so that it can be read on a screen. Stateless. */
public final class MarkdownTable {
  private MarkdownTable() {
  }

  /** The first column is aligned to the left, all others to the right. */
  public static List<String> lines(List<String> header, List<List<String>> rows) {
    List<List<String>> all = new ArrayList<>();
    all.add(header);
    all.addAll(rows);
    int[] widths = IntStream.range(0, header.size())
        .map(column -> all.stream().map(row -> row.get(column).length()).max(Comparator.naturalOrder()).orElse(0))
        .toArray();
    List<String> lines = new ArrayList<>();
    for (List<String> row : all) {
      lines.add(IntStream.range(0, widths.length).mapToObj(column -> pad(row.get(column), widths[column], column > 0))
          .collect(Collectors.joining(" | ", "| ", " |")));
    }
    lines.add(1,
        IntStream.range(0, widths.length).mapToObj(column -> "-".repeat(widths[column]) + (column > 0 ? ":" : "-"))
            .collect(Collectors.joining("|-", "|-", "|")));
    return lines;
  }

  private static String pad(String text, int width, boolean right) {
    String spaces = " ".repeat(width - text.length());
    return right ? spaces + text : text + spaces;
  }
}
