/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.plot;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import java.io.StringReader;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SvgPlotTest {

  private static SvgPlot bars() {
    Points bars = new Points().add("W", "C", 1.2, 0.1).add("DA", "C", 1.3, Double.NaN).add("W", "G1", 1.4).add("W", "R",
        Double.POSITIVE_INFINITY);
    return new SvgPlot("Fig. 6: time & more", "choice", "time ÷ ideal").legend("rates").bars(bars)
        .paper(new Points().add("paper", "C", 1.14)).paperLine(1, "ideal");
  }

  private static Document parse(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
  }

  private static Set<String> texts(Document svg) {
    NodeList texts = svg.getElementsByTagName("text");
    return IntStream.range(0, texts.getLength()).mapToObj(i -> texts.item(i).getTextContent().trim())
        .collect(Collectors.toSet());
  }

  @Test
  void plot_saysWhatItShows() throws Exception {
    Set<String> texts = texts(parse(bars().svg()));
    for (String expected : new String[] {"Fig. 6: time & more", "choice", "time ÷ ideal", "rates", "W", "DA", "C", "G1",
        "paper", "ideal"}) {
      assertTrue(texts.contains(expected), expected + " in " + texts);
    }
  }

  @Test
  void samePlot_isTheSameText() {
    assertEquals(bars().svg(), bars().svg());
  }

  @Test
  void idsOfPlots_onOnePage_differ() throws Exception {
    Set<String> ids = new HashSet<>();
    int count = 0;
    for (SvgPlot plot : new SvgPlot[] {bars(),
        new SvgPlot("other", "x", "y").lines(new Points().add("a", 1.0, 1).add("a", 2.0, 2))}) {
      Matcher matcher = Pattern.compile(" id=\"([^\"]+)\"").matcher(plot.svg());
      while (matcher.find()) {
        ids.add(matcher.group(1));
        count++;
      }
    }
    assertTrue(count > 2);
    assertEquals(count, ids.size());
  }

  @Test
  void curves_areDrawn_onLogarithmicAxes() throws Exception {
    Points curves = new Points();
    for (int nodes : new int[] {1000, 10_000}) {
      curves.add("C", (double) nodes, nodes, nodes / 10.0).add("G1", (double) nodes, 2.0 * nodes);
    }
    Document svg = parse(new SvgPlot("scale", "nodes", "TB").logX().logY().xBreaks(List.of(1000.0, 10_000.0),
        List.of("1,000", "10,000")).legend("algorithm").curves(curves).svg());
    assertTrue(texts(svg).containsAll(Set.of("nodes", "TB", "1,000", "10,000", "C", "G1")), texts(svg)::toString);
    assertTrue(svg.getElementsByTagName("path").getLength() >= 2);
  }

  @Test
  void emptyPlot_isAPlot() throws Exception {
    assertTrue(texts(parse(new SvgPlot("nothing", "x", "y").lines(new Points()).svg())).contains("nothing"));
  }
}
