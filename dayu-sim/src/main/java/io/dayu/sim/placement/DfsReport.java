/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import io.dayu.sim.FormatException;
import io.dayu.sim.TextFile;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code hdfs dfsadmin -report} says of live DataNodes: it has all names of a node, its rack and its room.
 * Immutable.
 */
public record DfsReport(List<DataNode> nodes) {
  /** Of which the report does not say that a node is on it. */
  public static final String DEFAULT_RACK = "/default-rack";
  private static final Pattern SECTION = Pattern.compile("(.*) datanodes \\(\\d+\\):");
  private static final Pattern FIELD = Pattern.compile("([A-Z][A-Za-z %]*?) ?: (.*)");
  private static final Pattern NAME = Pattern.compile("(\\S+:\\d+)(?: \\((.*)\\))?");
  private static final Pattern BYTES = Pattern.compile("(\\d{1,18})\\b.*");

  /**
   * One DataNode.
   *
   * @param address ip:port, as in a listing of fsck
   * @param names its other names
   * @param rack where it is
   * @param leaving whether it is being taken out of service, or is out
   * @param freeBytes room for blocks
   */
  public record DataNode(String address, List<String> names, String rack, boolean leaving, long freeBytes) {
    /** Every name of it. */
    public List<String> allNames() {
      List<String> all = new ArrayList<>(names);
      all.add(address);
      return all;
    }
  }

  /** The nodes by their addresses. */
  public Map<String, DataNode> byAddress() {
    Map<String, DataNode> found = new LinkedHashMap<>();
    nodes.forEach(node -> found.put(node.address, node));
    return found;
  }

  /** @throws FormatException naming the line of what cannot be understood */
  public static DfsReport read(Path path) throws IOException {
    Map<String, DataNode> found = new LinkedHashMap<>();
    Map<String, String> fields = new LinkedHashMap<>();
    boolean live = false;
    long line = 0;
    long begin = 0;
    try (BufferedReader reader = TextFile.open(path, bytes -> {})) {
      for (String text = reader.readLine(); text != null; text = reader.readLine()) {
        line++;
        Matcher section = SECTION.matcher(text);
        Matcher field = FIELD.matcher(text);
        if (section.matches() || text.startsWith("Name: ")) {
          add(path, begin, live, fields, found);
          begin = line;
        }
        if (section.matches()) {
          live = section.group(1).equals("Live"); // The leaving ones are among them, and listed once more.
        } else if (field.matches()) {
          fields.putIfAbsent(field.group(1), field.group(2));
        }
      }
    }
    add(path, begin, live, fields, found);
    if (found.isEmpty()) {
      throw new FormatException(path.toString(), line, "",
          "no live DataNode so far, expected the output of 'hdfs dfsadmin -report'");
    }
    return new DfsReport(List.copyOf(found.values()));
  }

  /** Adds the node whose fields these are, and clears them. */
  private static void add(Path path, long line, boolean live, Map<String, String> fields, Map<String, DataNode> found)
      throws FormatException {
    if (live && fields.containsKey("Name")) {
      Matcher name = NAME.matcher(fields.get("Name"));
      Matcher free = BYTES.matcher(fields.getOrDefault("DFS Remaining", ""));
      if (!name.matches() || !free.matches()) {
        throw new FormatException(path.toString(), line, "",
            "expected a node with lines 'Name: 10.0.0.1:9866 (host)' and 'DFS Remaining: 123 (…)'");
      }
      List<String> names = new ArrayList<>();
      if (name.group(2) != null) {
        names.add(name.group(2));
      }
      if (fields.containsKey("Hostname")) {
        names.add(fields.get("Hostname"));
      }
      found.putIfAbsent(name.group(1), new DataNode(name.group(1), List.copyOf(names),
          fields.getOrDefault("Rack", DEFAULT_RACK),
          !fields.getOrDefault("Decommission Status", "Normal").equals("Normal"), Long.parseLong(free.group(1))));
    }
    fields.clear();
  }
}
