/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.paper.figures.Claim;
import io.dayu.paper.figures.Figure;

import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Figures for machines; the fields are described in docs/simulator-results.md. Stateless. */
public final class FigureJson {
  private static final ObjectMapper JSON = new ObjectMapper().disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);

  private FigureJson() {
  }

  /** @param head further fields, that come first */
  public static void write(OutputStream out, Map<String, Object> head, List<Figure> figures) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>(head);
    fields.put("figures", figures.stream().map(FigureJson::json).toList());
    JSON.writerWithDefaultPrettyPrinter().writeValue(out, fields);
    out.write('\n');
  }

  private static Map<String, Object> json(Figure figure) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("id", figure.id());
    fields.put("title", figure.title());
    fields.put("inputs", figure.inputs());
    fields.put("claims", figure.claims().stream().map(FigureJson::json).toList());
    fields.put("columns", figure.table().columns());
    fields.put("rows", figure.table().rows());
    return fields;
  }

  private static Map<String, Object> json(Claim claim) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("what", claim.what());
    fields.put("paper", claim.paper());
    fields.put("here", claim.ours());
    fields.put("reproduced", claim.verdict().words());
    fields.put("why", claim.shownWhy());
    return fields;
  }
}
