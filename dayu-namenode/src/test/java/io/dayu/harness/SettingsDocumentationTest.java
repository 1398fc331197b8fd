/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Holds {@code conf/dayu-default.xml} and the table in {@code docs/settings.md} against the list of settings in the
 * code.
 */
class SettingsDocumentationTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  /** The section of each audience, in the file and on the page. */
  private static final Map<Setting.Audience, String> SECTIONS =
      Map.of(Setting.Audience.PUBLIC, "For every cluster", Setting.Audience.EXPERT, "For experts");

  @Test
  void defaultXml_holdsEverySettingWithItsDefaultAndDescription() throws Exception {
    Map<String, List<String>> expected = new LinkedHashMap<>();
    for (Setting setting : Setting.values()) {
      expected.put(setting.key(), List.of(SECTIONS.get(setting.audience()), setting.defaultText(),
          "(" + setting.daemon() + ") " + setting.description()));
    }
    Map<String, List<String>> found = new LinkedHashMap<>();
    NodeList properties = DocumentBuilderFactory.newInstance().newDocumentBuilder()
        .parse(ROOT.resolve("conf/dayu-default.xml").toFile()).getElementsByTagName("property");
    for (int i = 0; i < properties.getLength(); i++) {
      Element property = (Element) properties.item(i);
      found.put(text(property, "name"),
          List.of(section(property), text(property, "value"), text(property, "description")));
    }
    assertEquals(expected, found);
  }

  @Test
  void defaultXml_isAcceptedByThePlugins() throws Exception {
    Configuration conf = new Configuration(false);
    conf.addResource(new org.apache.hadoop.fs.Path(ROOT.resolve("conf/dayu-default.xml").toUri()));
    Settings.read(conf);
  }

  @Test
  void settingsPage_holdsOneRowForEachSetting() throws IOException {
    List<String> expected = Arrays.stream(Setting.values()).map(setting -> SECTIONS.get(setting.audience()) + ": | `"
        + setting.key() + "` | `" + setting.defaultText() + "` | " + setting.daemon() + " | "
        + setting.unit().replace("|", "\\|") + " | " + setting.description() + " |").toList();
    List<String> rows = new ArrayList<>();
    String section = "";
    for (String line : Files.readAllLines(ROOT.resolve("docs/settings.md"))) {
      section = line.startsWith("## ") ? line.substring(3) : section;
      if (line.startsWith("| `dayu.")) {
        rows.add(section + ": " + line);
      }
    }
    assertEquals(String.join("\n", expected), String.join("\n", rows));
  }

  /** The section's title: the text up to a colon of the last comment before a property. */
  private static String section(Element property) {
    Node node = property.getPreviousSibling();
    while (node.getNodeType() != Node.COMMENT_NODE) {
      node = node.getPreviousSibling();
    }
    return node.getTextContent().split(":")[0].trim();
  }

  private static String text(Element property, String tag) {
    return property.getElementsByTagName(tag).item(0).getTextContent().trim().replaceAll("\\s+", " ");
  }
}
