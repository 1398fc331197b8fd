/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.tools.DFSck;
import org.apache.hadoop.util.ToolRunner;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code hdfs fsck /} says. Immutable.
 *
 * @param text the whole of its output
 */
public record FsckReport(String text) {
  private static final String MISSING_GROUPS = "Missing block groups";

  public static FsckReport run(Configuration conf) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
      ToolRunner.run(new DFSck(conf, out), new String[] {"/"});
    }
    return new FsckReport(bytes.toString(StandardCharsets.UTF_8));
  }

  public boolean healthy() {
    return text.contains("is HEALTHY");
  }

  /**
   * A number of the summary by its label; the summary has one section for replicated and one for erasure-coded blocks.
   */
  public long sum(String label) {
    Matcher lines = Pattern.compile("^\\s*" + Pattern.quote(label) + ":\\s*(\\d+)", Pattern.MULTILINE).matcher(text);
    long sum = 0;
    boolean found = false;
    while (lines.find()) {
      found = true;
      sum += Long.parseLong(lines.group(1));
    }
    if (!found) {
      throw new IllegalStateException("fsck does not say '" + label + "':\n" + text);
    }
    return sum;
  }

  /** Everything that is not as it should be, one line each. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    if (!healthy()) {
      problems.add("fsck does not say HEALTHY:\n" + text);
      return problems;
    }
    addSums(problems, List.of("Under-replicated blocks", "Mis-replicated blocks", "Over-replicated blocks",
        "Corrupt blocks", "Missing blocks"));
    return problems;
  }

  /** The same of erasure-coded groups. */
  public List<String> problemsOfGroups() {
    List<String> problems = new ArrayList<>();
    addSums(problems, List.of("Under-erasure-coded block groups", "Unsatisfactory placement block groups",
        "Over-erasure-coded block groups", "Corrupt block groups", MISSING_GROUPS, "Missing internal blocks"));
    return problems;
  }

  private void addSums(List<String> problems, List<String> labels) {
    for (String label : labels) {
      if (sum(label) > 0) {
        problems.add("fsck: " + label + ": " + sum(label));
      }
    }
  }

  /** Blocks without a replica, and groups that cannot be rebuilt. */
  public long missing() {
    return sum("Missing blocks") + sum(MISSING_GROUPS);
  }
}
