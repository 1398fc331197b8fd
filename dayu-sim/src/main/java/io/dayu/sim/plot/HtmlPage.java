/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.plot;

import java.util.List;

/** Plots and tables on one page of HTML that needs no other file. Stateless. */
public final class HtmlPage {
  private static final int MAX_ROWS = 60;
  private static final String STYLE =
      "body{font-family:system-ui,sans-serif;max-width:1400px;margin:2em auto;padding:0 1em;color:#222}"
          + "table{border-collapse:collapse;margin:1em 0;font-size:0.9em}"
          + "th,td{border:1px solid #ccc;padding:0.3em 0.6em;text-align:left;vertical-align:top}th{background:#f3f3f3}"
          + ".yes{background:#e2f2e2}.no{background:#f8dfdc}.plots{display:flex;flex-wrap:wrap;gap:1em}"
          + ".inputs{color:#666;font-size:0.9em}details{margin:0.5em 0}code{background:#f3f3f3;padding:0.1em 0.3em}"
          + "svg{max-width:100%;height:auto}";

  private HtmlPage() {
  }

  /**
   * A page of one plot and one table.
   *
   * @param lines what else there is to say, in lines
   */
  public static String of(String title, String command, String svg, List<String> lines, CsvTable table) {
    StringBuilder html = begin(title, title).append("\n<p><code>").append(text(command))
        .append("</code></p>\n<div class=\"plots\"><div>").append(svg).append("</div></div>\n<pre>");
    lines.forEach(line -> html.append(text(line)).append('\n'));
    html.append("</pre>\n");
    addNumbers(html, table, "the CSV file (--csv)");
    return html.append("</body></html>\n").toString();
  }

  /** A page up to its heading. */
  public static StringBuilder begin(String title, String heading) {
    return new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
        .append(text(title)).append("</title><style>").append(STYLE).append("</style></head><body>\n<h1>")
        .append(text(heading)).append("</h1>");
  }

  /** Adds a table that is shown on demand. */
  public static void addNumbers(StringBuilder html, CsvTable table, String file) {
    List<List<String>> rows = table.rows();
    html.append("<details><summary>Numbers</summary><table>\n");
    row(html, "th", table.columns(), "");
    rows.stream().limit(MAX_ROWS).forEach(row -> row(html, "td", row, ""));
    html.append("</table>").append(rows.size() > MAX_ROWS ? "<p>The other " + (rows.size() - MAX_ROWS) + " rows are in "
        + file + ".</p>" : "").append("</details>\n");
  }

  /**
   * Adds a row of a table.
   *
   * @param more further cells, as HTML
   */
  public static void row(StringBuilder html, String cell, List<String> values, String more) {
    html.append("<tr>");
    values.forEach(
        value -> html.append('<').append(cell).append('>').append(text(value)).append("</").append(cell).append('>'));
    html.append(more).append("</tr>\n");
  }

  /** Text as HTML has it. */
  public static String text(String plain) {
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
