/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.plot;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;

/** Rows under named columns. Single-threaded while it is filled. */
public final class CsvTable {
  /** Of numbers that are not whole. */
  private static final MathContext DIGITS = new MathContext(5);

  private final List<String> columns;
  private final List<Object[]> rows = new ArrayList<>();

  public CsvTable(String... columns) {
    this.columns = List.of(columns);
  }

  /** @param values texts or numbers; one for each column */
  public CsvTable row(Object... values) {
    if (values.length != columns.size()) {
      throw new IllegalArgumentException(values.length + " values for the columns " + columns);
    }
    rows.add(values);
    return this;
  }

  public List<String> columns() {
    return columns;
  }

  /** The rows as texts. */
  public List<List<String>> rows() {
    return rows.stream().map(row -> List.of(row).stream().map(CsvTable::text).toList()).toList();
  }

  private static String text(Object value) {
    if (!(value instanceof Double number)) {
      return value.toString();
    }
    if (!Double.isFinite(number)) {
      return Double.isNaN(number) ? "" : number.toString();
    }
    BigDecimal exact = BigDecimal.valueOf(number);
    boolean whole = number == Math.rint(number);
    return (whole ? exact : exact.round(DIGITS)).stripTrailingZeros().toPlainString();
  }

  private static String quoted(String text) {
    return text.matches("[^,\"\r\n]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  public String csv() {
    StringBuilder csv = new StringBuilder(String.join(",", columns)).append('\n');
    rows().forEach(row -> csv.append(String.join(",", row.stream().map(CsvTable::quoted).toList())).append('\n'));
    return csv.toString();
  }
}
