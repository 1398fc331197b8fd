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
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Holds the pages together: links and anchors resolve, the index names each page, code and tables are whole. */
class LinksDocumentationTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final int MAX_LINE = 120;
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern CODE = Pattern.compile("`[^`]*`");
  private static final Pattern FENCE = Pattern.compile(" *```.*");

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    for (String directory : List.of("docs", ".github")) {
      try (Stream<Path> files = Files.list(ROOT.resolve(directory))) {
        files.filter(path -> path.toString().endsWith(".md")).sorted().forEach(pages::add);
      }
    }
    return pages;
  }

  /** The lines outside blocks of code, each with its number; a line inside is empty. */
  private static List<String> prose(Path page) throws IOException {
    List<String> lines = new ArrayList<>();
    boolean code = false;
    for (String line : Files.readAllLines(page)) {
      boolean fence = FENCE.matcher(line).matches();
      lines.add(code || fence ? "" : line);
      code ^= fence;
    }
    return lines;
  }

  /** The anchors that GitHub makes of a page's headings. */
  private static Set<String> anchors(Path page) throws IOException {
    Set<String> anchors = new HashSet<>();
    for (String line : prose(page)) {
      if (line.startsWith("#")) {
        String slug = line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "")
            .replace(' ', '-');
        String anchor = slug;
        for (int copy = 1; !anchors.add(anchor); copy++) {
          anchor = slug + "-" + copy;
        }
      }
    }
    return anchors;
  }

  @Test
  void link_leadsToAFileAndAHeading() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path page : pages()) {
      Matcher found = LINK.matcher(CODE.matcher(String.join("\n", prose(page))).replaceAll("`"));
      while (found.find()) {
        String link = URLDecoder.decode(found.group(1), StandardCharsets.UTF_8);
        if (!link.matches("[a-z]+:.*")) {
          links++;
          String[] parts = link.split("#", 2);
          Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
          if (!Files.exists(target) || parts.length == 2 && !anchors(target).contains(parts[1])) {
            broken.add(ROOT.relativize(page) + ": " + link);
          }
        }
      }
    }
    assertTrue(links > 100, "links: " + links);
    assertEquals(List.of(), broken, "links that lead nowhere");
  }

  @Test
  void index_namesEachPageAndNoOther() throws IOException {
    Path index = ROOT.resolve("docs/README.md");
    Set<String> named = LINK.matcher(Files.readString(index)).results().map(found -> found.group(1))
        .filter(link -> link.matches("[^/]+\\.md")).collect(Collectors.toCollection(TreeSet::new));
    Set<String> pages = pages().stream().filter(page -> page.startsWith(ROOT.resolve("docs")) && !page.equals(index))
        .map(page -> page.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
    assertEquals(pages, named, "pages against docs/README.md");
  }

  @Test
  void line_isShortAndWhole() throws IOException {
    List<String> bad = new ArrayList<>();
    for (Path page : pages()) {
      String name = ROOT.relativize(page).toString();
      for (String line : Files.readAllLines(page)) {
        if (FENCE.matcher(line).matches() && !line.strip().matches("```\\w*")) {
          bad.add(name + ": code on the line of its fence: " + line);
        }
      }
      for (String line : prose(page)) {
        boolean row = line.strip().startsWith("|");
        if (row && !line.strip().endsWith("|")) {
          bad.add(name + ": a table's row that is cut off: " + line);
        } else if (!row && LINK.matcher(line).replaceAll("]").length() > MAX_LINE) {
          bad.add(name + ": longer than " + MAX_LINE + " characters: " + line);
        }
      }
    }
    assertEquals(List.of(), bad);
  }
}
