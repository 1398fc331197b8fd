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
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Holds that each request to a daemon in the documentation is also there in its form for HTTPS and SPNEGO. */
class CurlDocumentationTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Map<String, String> SECURE_PORTS = Map.of("9870", "9871", "9864", "9865");
  private static final Pattern PLAIN = Pattern.compile("curl [^\n|]*?http://([^:\n]+):(9870|9864)(/[^' |\n`]*)");
  private static final Pattern SECURE =
      Pattern.compile("curl --negotiate -u : [^\n|]*?(https://[^:\n]+:(?:9871|9865)/[^' |\n`]*)");

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
      docs.filter(path -> path.toString().endsWith(".md")).sorted().forEach(pages::add);
    }
    return pages;
  }

  @Test
  void plainRequest_hasItsFormForHttpsAndSpnego() throws IOException {
    List<String> missing = new ArrayList<>();
    int requests = 0;
    for (Path page : pages()) {
      String text = Files.readString(page);
      List<String> secure = SECURE.matcher(text).results().map(found -> found.group(1)).toList();
      Matcher plain = PLAIN.matcher(text);
      while (plain.find()) {
        requests++;
        // By SPNEGO the ticket names the user.
        String wanted = "https://" + plain.group(1) + ":" + SECURE_PORTS.get(plain.group(2))
            + plain.group(3).replaceFirst("\\?user\\.name=.*", "");
        if (!secure.contains(wanted)) {
          missing.add(ROOT.relativize(page) + ": " + wanted);
        }
      }
    }
    assertTrue(requests > 6, "requests: " + requests);
    assertEquals(List.of(), missing);
  }
}
