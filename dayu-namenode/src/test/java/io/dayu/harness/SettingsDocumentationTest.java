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
import org.w3c.dom.NodeList;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

  @Test
  void defaultXml_holdsEverySettingWithItsDefaultAndDescription() throws Exception {
    Map<String, List<String>> expected = new LinkedHashMap<>();
    for (Setting setting : Setting.values()) {
      expected.put(setting.key(),
          List.of(setting.defaultText(), "(" + setting.daemon() + ") " + setting.description()));
    }
    Map<String, List<String>> found = new LinkedHashMap<>();
    NodeList properties = DocumentBuilderFactory.newInstance().newDocumentBuilder()
        .parse(ROOT.resolve("conf/dayu-default.xml").toFile()).getElementsByTagName("property");
    for (int i = 0; i < properties.getLength(); i++) {
      Element property = (Element) properties.item(i);
      found.put(text(property, "name"), List.of(text(property, "value"), text(property, "description")));
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
    List<String> expected = Arrays.stream(Setting.values()).map(setting -> "| `" + setting.key() + "` | `"
        + setting.defaultText() + "` | " + setting.daemon() + " | "
        + setting.unit().replace("|", "\\|") + " | " + setting.description() + " |").toList();
    List<String> rows = Files.readAllLines(ROOT.resolve("docs/settings.md")).stream()
        .filter(line -> line.startsWith("| `dayu.")).toList();
    assertEquals(String.join("\n", expected), String.join("\n", rows));
  }

  private static String text(Element property, String tag) {
    return property.getElementsByTagName(tag).item(0).getTextContent().trim().replaceAll("\\s+", " ");
  }
}
