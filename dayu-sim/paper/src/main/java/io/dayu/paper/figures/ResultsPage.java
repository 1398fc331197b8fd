/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.figures;

import java.util.List;

/** All figures as a section of docs/results.md. Stateless. */
public final class ResultsPage {
  private static final String WORDS = String.join("\n",
      "| word | meaning |",
      "|---|---|",
      "| `C`, `G1`, `G2` | how nodes are chosen: by the paper's bucketed convex hull, by a scan of all nodes, by a "
          + "red-black tree |",
      "| `R`, `B2R`, `WR` | nodes are chosen at random: any, the better of two, weighted by bandwidth |",
      "| `+W`, `+WSS`, `+DA` | how rates are chosen: iterative weighted shuffle scheduling, one pass of it, the rate "
          + "at which a transfer ends with its timeslot |",
      "| `+A`, `+P` | with re-scheduling of stragglers; with priority for underemployed nodes. All = both |",
      "| `dayu-paper`, `dayu-alpha` | all of the paper's algorithms in timeslots of 15 s; the product, if it keeps α "
          + "at every moment |",
      "| `pangu-slow`, `-mid`, `-fast` | `R+W` with 30, 90 and 150 MB/s on each node |",
      "| last report, current slot | the foreground that the scheduler knows when it plans a timeslot: that of the "
          + "timeslot before, or that of the timeslot itself |",
      "| time ÷ ideal | the recovery time, divided by the least time in which all links together could move the bytes "
          + "by equation 1 |",
      "| interference | traffic above 75 % of a link, in % of what all links can carry: the mean over a recovery "
          + "(equations 3 and 4 of the paper) |",
      "| SC | common size: the bytes of a failed node's blocks of which another node has a replica |",
      "| CoV | coefficient of variation: standard deviation ÷ mean |",
      "| reproduced | computed from the numbers. Algorithms are compared failure by failure; *yes* or *no* means that "
          + "the difference is more than twice its standard error, *within the error* that it is not |",
      "");

  private ResultsPage() {
  }

  /**
   * @param head one line on how the page was made
   * @param command the command that made it, without {@code --only}
   * @param folder of the plots, relative to the page
   */
  public static String of(List<Figure> figures, String head, String command, String folder) {
    StringBuilder page = new StringBuilder("## Simulator\n\n" + head + " The command for all figures is\n\n```\n"
        + command + "\n```\n\n`--only fig6` makes one of them. [simulator-model.md](simulator-model.md) says what is "
        + "simulated and how the paper is read.\n\n" + WORDS);
    for (Figure figure : figures) {
      page.append("\n### ").append(FiguresPage.heading(figure)).append("\n\n").append(figure.inputs()).append(".\n\n");
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
