/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.figures;

import io.dayu.sim.plot.CsvTable;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PagesTest {
  private static final Figure FIGURE = new Figure("fig9a", "α & more", "three nodes",
      new CsvTable("algorithm", "time (s)").row("dayu", 51.23456).row("C+W", Double.NaN).row("G1", 2_500_000.4)
          .row("R", 120_921.0).row("WR", Double.POSITIVE_INFINITY),
      Map.of("fig9a-time", "<svg>plot</svg>"),
      List.of(new Claim("time < ideal", "−9.1 %", "-8.0 %", Verdict.NO, "chance")));

  @Test
  void table_isCsv() {
    assertEquals("algorithm,time (s)\ndayu,51.235\nC+W,\nG1,2500000\nR,120921\nWR,Infinity\n", FIGURE.table().csv());
    assertThrows(IllegalArgumentException.class, () -> FIGURE.table().row("one value"));
  }

  @Test
  void page_holdsPlotAndClaims_andNeedsNoOtherFile() {
    String html = FiguresPage.of(List.of(FIGURE), "made here", "figures --out DIR");
    assertTrue(html.contains("<svg>plot</svg>") && html.contains("Fig. 9a: α &amp; more")
        && html.contains("time &lt; ideal") && html.contains("<td class=\"no\">no</td><td>chance</td>"), html);
    assertTrue(!html.contains("src=") && !html.contains("href=\"http") && !html.contains("@import"), html);
  }

  @Test
  void results_nameCommandAndPlots() {
    String page = ResultsPage.of(List.of(FIGURE), "Made here.", "figures --out DIR", "figures");
    assertTrue(page.contains("```\nfigures --out DIR\n```") && page.contains("![fig9a-time](figures/fig9a-time.svg)")
        && page.contains("| time < ideal | −9.1 % | -8.0 % | no | chance |"), page);
  }
}
