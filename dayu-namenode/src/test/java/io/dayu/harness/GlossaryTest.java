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

/** Holds {@code docs/glossary.md} to the words that occur in messages of the plugins, in the order of the alphabet. */
class GlossaryTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern ROW = Pattern.compile("\\| \\*\\*(.+)\\*\\* \\|.*");
  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

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

  @Test
  void eachWord_occursInAMessage() throws IOException {
    String literals = literals();
    List<String> missing = new ArrayList<>();
    for (String word : words()) {
      Pattern whole = Pattern.compile("(?<![a-zA-Z])" + Pattern.quote(word) + "(?![a-z])");
      if (!whole.matcher(literals).find()) {
        missing.add(word);
      }
    }
    assertEquals(List.of(), missing);
  }

  @Test
  void words_areInTheOrderOfTheAlphabet() throws IOException {
    List<String> words = words();
    assertTrue(words.size() > 20, words::toString);
    assertEquals(words.stream().sorted(String.CASE_INSENSITIVE_ORDER).toList(), words);
  }
}
