/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.figures;

import java.util.List;

/** Figures, or one plot, on one page of HTML that needs no other file. Stateless. */
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
   * @param head one line on how the page was made
   * @param command the command that made it
   */
  public static String of(List<Figure> figures, String head, String command) {
    StringBuilder html =
        new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Dayu: the paper's "
            + "figures, simulated</title><style>").append(STYLE)
            .append("</style></head><body>\n<h1>The paper's figures, simulated</h1>\n<p>")
            .append(text(head)).append("</p>\n<p><code>").append(text(command)).append("</code></p>\n<ul>");
    figures.forEach(figure -> html.append("<li><a href=\"#").append(figure.id()).append("\">")
        .append(text(heading(figure))).append("</a></li>"));
    html.append("</ul>\n");
    figures.forEach(figure -> add(html, figure));
    return html.append("</body></html>\n").toString();
  }

  /**
   * A page of one plot and one table.
   *
   * @param lines what else there is to say, in lines
   */
  public static String of(String title, String command, String svg, List<String> lines, CsvTable table) {
    StringBuilder html = new StringBuilder("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
        .append(text(title)).append("</title><style>").append(STYLE).append("</style></head><body>\n<h1>")
        .append(text(title)).append("</h1>\n<p><code>").append(text(command))
        .append("</code></p>\n<div class=\"plots\"><div>").append(svg).append("</div></div>\n<pre>");
    lines.forEach(line -> html.append(text(line)).append('\n'));
    html.append("</pre>\n");
    addNumbers(html, table, "the CSV file (--csv)");
    return html.append("</body></html>\n").toString();
  }

  /** The figure's number in the paper and its title. */
  static String heading(Figure figure) {
    return "Fig. " + figure.id().substring("fig".length()) + ": " + figure.title();
  }

  private static void add(StringBuilder html, Figure figure) {
    html.append("<h2 id=\"").append(figure.id()).append("\">").append(text(heading(figure)))
        .append("</h2>\n<p class=\"inputs\">").append(text(figure.inputs())).append("</p>\n<div class=\"plots\">");
    figure.plots().values().forEach(svg -> html.append("<div>").append(svg).append("</div>\n"));
    html.append(
        "</div>\n<table><tr><th>what</th><th>paper</th><th>here</th><th>reproduced</th><th>if not, why</th></tr>\n");
    for (Claim claim : figure.claims()) {
      String shade = claim.verdict() == Verdict.YES ? "yes" : claim.verdict() == Verdict.NO ? "no" : "other";
      row(html, "td", List.of(claim.what(), claim.paper(), claim.ours()), "<td class=\"" + shade + "\">"
          + text(claim.verdict().words()) + "</td><td>" + text(claim.shownWhy()) + "</td>");
    }
    html.append("</table>\n");
    addNumbers(html, figure.table(), figure.id() + ".csv");
  }

  private static void addNumbers(StringBuilder html, CsvTable table, String file) {
    List<List<String>> rows = table.rows();
    html.append("<details><summary>Numbers</summary><table>\n");
    row(html, "th", table.columns(), "");
    rows.stream().limit(MAX_ROWS).forEach(row -> row(html, "td", row, ""));
    html.append("</table>").append(rows.size() > MAX_ROWS ? "<p>The other " + (rows.size() - MAX_ROWS) + " rows are in "
        + file + ".</p>" : "").append("</details>\n");
  }

  private static void row(StringBuilder html, String cell, List<String> values, String more) {
    html.append("<tr>");
    values.forEach(
        value -> html.append('<').append(cell).append('>').append(text(value)).append("</").append(cell).append('>'));
    html.append(more).append("</tr>\n");
  }

  private static String text(String plain) {
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
