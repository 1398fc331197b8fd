/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The fields that {@code docs/json.md} lists for each kind of answer, and those that were seen in answers. Not
 * thread-safe.
 */
final class JsonPage {
  private static final Pattern FIELD = Pattern.compile("`([^`]+)`");

  private final Map<String, Set<String>> listed = new LinkedHashMap<>();
  private final Set<String> seen = new TreeSet<>();
  private final Set<String> unlisted = new TreeSet<>();

  static JsonPage read() throws IOException {
    JsonPage page = new JsonPage();
    String section = "";
    for (String line : Files.readAllLines(Path.of("..").toAbsolutePath().normalize().resolve("docs/json.md"))) {
      if (line.startsWith("## ")) {
        section = line.substring(3);
      } else if (line.startsWith("| `")) {
        FIELD.matcher(line.split(" \\| ")[0]).results().map(MatchResult::group)
            .map(field -> field.substring(1, field.length() - 1))
            .forEach(page.listed.computeIfAbsent(section, key -> new TreeSet<>())::add);
      }
    }
    return page;
  }

  /** Notes the fields of an answer, or of each answer of an array. */
  void see(String section, JsonNode answer) {
    if (answer.isArray()) {
      answer.forEach(one -> see(section, "", one));
    } else {
      see(section, "", answer);
    }
  }

  private void see(String section, String path, JsonNode node) {
    if (listed.get(section).contains(path)) {
      seen.add(section + " " + path);
    } else if (node.isObject()) {
      node.fields().forEachRemaining(
          field -> see(section, (path.isEmpty() ? "" : path + ".") + field.getKey(), field.getValue()));
    } else if (node.isArray()) {
      node.forEach(one -> see(section, path + "[]", one));
    } else {
      unlisted.add(section + " " + path);
    }
  }

  /** Fields of answers that the page does not have. */
  Set<String> unlisted() {
    return unlisted;
  }

  /** Fields of the page that no answer had. */
  List<String> unseen() {
    List<String> all = new ArrayList<>();
    listed.forEach((section, fields) -> fields.forEach(field -> all.add(section + " " + field)));
    all.removeAll(seen);
    return all;
  }
}
