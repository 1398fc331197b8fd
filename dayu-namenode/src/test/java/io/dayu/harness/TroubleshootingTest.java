/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Finds every WARN and ERROR line of both plugins in {@code docs/troubleshooting.md}, and every line of that page in
 * the plugins.
 */
class TroubleshootingTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern CALL = Pattern.compile("LOG\\.(warn|error|info)\\(");
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
  private static final Pattern ROW = Pattern.compile("\\| (?:WARN|ERROR) \\| `([^`]+)` \\|.*");

  private static final Pattern NORMAL_ROW = Pattern.compile("\\| (?:NameNode|DataNode) \\| `([^`]+)` \\|.*");

  private static List<String> sources() throws IOException {
    List<String> texts = new ArrayList<>();
    for (String module : List.of("dayu-datanode", "dayu-namenode")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          texts.add(Files.readString(file));
        }
      }
    }
    return texts;
  }

  /** The format of each line of these levels, as the page writes it; a line that is put together elsewhere has none. */
  private static List<String> lines(String... levels) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String text : sources()) {
      Matcher call = CALL.matcher(text);
      while (call.find()) {
        String format = literals(firstArgument(text, call.end()));
        if (List.of(levels).contains(call.group(1)) && !format.isEmpty()) {
          lines.add(format.replace("{}", "…"));
        }
      }
    }
    return lines;
  }

  private static String firstArgument(String text, int start) {
    int depth = 0;
    boolean quoted = false;
    int at = start;
    while (depth >= 0) {
      char c = text.charAt(at);
      if (c == '\\') {
        at++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (!quoted && c == ',' && depth == 0) {
        break;
      } else if (!quoted) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      }
      at++;
    }
    return text.substring(start, at);
  }

  private static String literals(String argument) {
    StringBuilder joined = new StringBuilder();
    Matcher literal = LITERAL.matcher(argument);
    while (literal.find()) {
      joined.append(literal.group(1));
    }
    return joined.toString();
  }

  @Test
  void everyWarnAndErrorLine_isOnThePage() throws IOException {
    List<String> lines = lines("warn", "error");
    assertTrue(lines.size() > 20, lines::toString);
    String page = Files.readString(ROOT.resolve("docs/troubleshooting.md"));
    assertEquals(List.of(), lines.stream().filter(line -> !page.contains(line)).toList());
  }

  @Test
  void everyInfoLine_isAmongWhatIsNormal() throws IOException {
    List<String> lines = lines("info");
    assertTrue(lines.size() > 20, lines::toString);
    // Put together elsewhere.
    lines.add("Dayu: state … -> …: …");
    lines
        .add("Dayu: timeslot …: planned …, rejected …, finished …, failed …, running …, waiting …, left to stock …; …");
    List<String> rows = Files.readAllLines(ROOT.resolve("docs/troubleshooting.md")).stream().map(NORMAL_ROW::matcher)
        .filter(Matcher::matches).map(row -> row.group(1)).toList();
    assertEquals(List.of(), lines.stream().filter(line -> !rows.contains(line)).toList(), "not on the page");
    assertEquals(List.of(), rows.stream().filter(row -> !lines.contains(row)).toList(), "on the page only");
  }

  @Test
  void everyLineOfThePage_isInThePlugins() throws IOException {
    List<String> known = lines("warn", "error");
    // Put together elsewhere.
    known.add("Dayu: state … -> STOCK: …");
    known.add("Dayu ignores the setting …: … has replaced it");
    known.add("Dayu does not know the setting … and ignores it: it is misspelt or of a newer version. …");
    List<String> gone = new ArrayList<>();
    for (String row : Files.readAllLines(ROOT.resolve("docs/troubleshooting.md"))) {
      Matcher line = ROW.matcher(row);
      if (line.matches() && !known.contains(line.group(1))) {
        gone.add(line.group(1));
      }
    }
    assertEquals(List.of(), gone);
  }
}
