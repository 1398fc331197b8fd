/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.figures;

import java.util.List;

/** All figures as a section of docs/results.md. Stateless. */
public final class ResultsPage {
  private ResultsPage() {
  }

  /**
   * @param head one line on how the page was made
   * @param command the command that made it, without {@code --only}
   * @param folder of the plots, relative to the page
   */
  public static String of(List<Figure> figures, String head, String command, String folder) {
    StringBuilder page = new StringBuilder("## Simulator\n\n" + head + " All of it by\n\n```\n" + command
        + "\n```\n\nand one figure by adding "
        + "`--only fig6`. \"Reproduced\" is computed from the numbers: yes or no only where the difference, case by "
        + "case, is more than twice its standard error. What is simulated and how the paper is read stands in "
        + "[simulator.md](simulator.md).\n");
    for (Figure figure : figures) {
      page.append("\n### ").append(HtmlPage.heading(figure)).append("\n\n").append(figure.inputs()).append(".\n\n");
      figure.plots().keySet().forEach(plot -> page.append("![").append(plot).append("](").append(folder).append('/')
          .append(plot).append(".svg)\n"));
      page.append("\n| what | paper | here | reproduced | if not, why |\n|---|---|---|---|---|\n");
      figure.claims()
          .forEach(claim -> page.append("| ").append(claim.what()).append(" | ").append(claim.paper()).append(" | ")
              .append(claim.ours()).append(" | ").append(claim.verdict().words()).append(" | ").append(claim.shownWhy())
              .append(" |\n"));
    }
    return page.toString();
  }
}
