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
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Holds {@code docs/glossary.md} to the words that an admin meets: in text literals of the plugins (log lines, answers
 * to commands, settings, metrics), in names of JMX attributes, on the web page, and on the pages for admins.
 */
class GlossaryTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern ROW = Pattern.compile("\\| \\*\\*(.+)\\*\\* \\|.*");
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

  private static final Pattern ATTRIBUTE = Pattern.compile("(?:long|int|double|String) get([A-Za-z0-9]+)\\(\\);");
  private static final String CODE = "dayu-namenode/src/main/";
  private static final List<String> PAGES = List.of("README.md", "docs/install.md", "docs/operate.md",
      "docs/tune.md", "docs/commands.md", "docs/metrics.md", "docs/settings.md", "docs/troubleshooting.md",
      "docs/web-page.md", CODE + "resources/io/dayu/web/index.html");
  /** Words of the paper and of this project that need a row as soon as an admin meets them. */
  private static final List<String> OWN = List.of("adopted", "agent", "alpha", "beta", "B_min", "checkpoint",
      "commands", "evicted", "foreground", "granted", "horizon", "interference", "lease", "meter",
      "saturated", "shadow", "source", "straggler", "suspended", "target", "timeslot", "transfer", "underemployed",
      "watchdog");

  private static List<String> words() throws IOException {
    return Files.readAllLines(ROOT.resolve("docs/glossary.md")).stream().map(ROW::matcher).filter(Matcher::matches)
        .map(row -> row.group(1)).toList();
  }

  /** The text literals of the plugins' classes, one a line; literals that are added up are one. */
  private static String literals() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String module : List.of("dayu-datanode", "dayu-namenode")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          Matcher literal = LITERAL.matcher(Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", ""));
          while (literal.find()) {
            all.append(literal.group(1)).append('\n');
          }
        }
      }
    }
    return all.toString();
  }

  /** All that an admin meets; a JMX name such as RunningTransfers is split into its words. */
  private static String texts() throws IOException {
    StringBuilder all = new StringBuilder(literals());
    for (String page : PAGES) {
      all.append(Files.readString(ROOT.resolve(page)));
    }
    Matcher attribute =
        ATTRIBUTE.matcher(Files.readString(ROOT.resolve(CODE + "java/io/dayu/namenode/status/DayuStatusMXBean.java")));
    while (attribute.find()) {
      all.append(attribute.group(1).replaceAll("([a-z])([A-Z])", "$1 $2")).append('\n');
    }
    return all.toString();
  }

  private static boolean occurs(String word, String texts) {
    int flags = word.length() > 2 ? Pattern.CASE_INSENSITIVE : 0;
    return Pattern.compile("(?<![a-zA-Z])" + Pattern.quote(word) + "s?(?![a-z])", flags).matcher(texts).find();
  }

  @Test
  void eachWord_isMetByAdmins() throws IOException {
    String texts = texts();
    assertEquals(List.of(), words().stream().filter(word -> !occurs(word, texts)).toList());
  }

  @Test
  void ownWordThatAdminsMeet_hasARow() throws IOException {
    String texts = texts();
    List<String> words = words();
    assertEquals(List.of(), OWN.stream().filter(word -> occurs(word, texts) && !words.contains(word)).toList());
  }

  @Test
  void words_areInTheOrderOfTheAlphabet() throws IOException {
    List<String> words = words();
    assertTrue(words.size() > 20, words::toString);
    assertEquals(words.stream().sorted(String.CASE_INSENSITIVE_ORDER).toList(), words);
  }
}
