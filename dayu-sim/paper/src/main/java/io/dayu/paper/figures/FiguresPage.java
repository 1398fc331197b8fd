/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.figures;

import io.dayu.sim.plot.HtmlPage;

import java.util.List;

/** The figures on one page of HTML that needs no other file. Stateless. */
public final class FiguresPage {
  private FiguresPage() {
  }

  /**
   * @param head one line on how the page was made
   * @param command the command that made it
   */
  public static String of(List<Figure> figures, String head, String command) {
    StringBuilder html = HtmlPage.begin("Dayu: the paper's figures, simulated", "The paper's figures, simulated")
        .append("\n<p>").append(HtmlPage.text(head)).append("</p>\n<p><code>").append(HtmlPage.text(command))
        .append("</code></p>\n<ul>");
    figures.forEach(figure -> html.append("<li><a href=\"#").append(figure.id()).append("\">")
        .append(HtmlPage.text(heading(figure))).append("</a></li>"));
    html.append("</ul>\n");
    figures.forEach(figure -> add(html, figure));
    return html.append("</body></html>\n").toString();
  }

  /** The figure's number in the paper and its title. */
  static String heading(Figure figure) {
    return "Fig. " + figure.id().substring("fig".length()) + ": " + figure.title();
  }

  private static void add(StringBuilder html, Figure figure) {
    html.append("<h2 id=\"").append(figure.id()).append("\">").append(HtmlPage.text(heading(figure)))
        .append("</h2>\n<p class=\"inputs\">").append(HtmlPage.text(figure.inputs()))
        .append("</p>\n<div class=\"plots\">");
    figure.plots().values().forEach(svg -> html.append("<div>").append(svg).append("</div>\n"));
    html.append(
        "</div>\n<table><tr><th>what</th><th>paper</th><th>here</th><th>reproduced</th><th>if not, why</th></tr>\n");
    for (Claim claim : figure.claims()) {
      String shade = claim.verdict() == Verdict.YES ? "yes" : claim.verdict() == Verdict.NO ? "no" : "other";
      HtmlPage.row(html, "td", List.of(claim.what(), claim.paper(), claim.ours()), "<td class=\"" + shade + "\">"
          + HtmlPage.text(claim.verdict().words()) + "</td><td>" + HtmlPage.text(claim.shownWhy()) + "</td>");
    }
    html.append("</table>\n");
    HtmlPage.addNumbers(html, figure.table(), figure.id() + ".csv");
  }
}
