/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class NodesReportTest {
  @Test
  void version_isThatOfTheAgent() throws JsonProcessingException {
    String report = NodesReport.text(new ObjectMapper()
        .readTree("{\"nodes\":[{\"node\":\"a:1\",\"rack\":\"/r\",\"agent\":\"silent\",\"version\":\"0.1.0\"}]}"));
    assertTrue(report.matches("(?s).*\na:1 +/r +silent 0\\.1\\.0 .*"), report);
  }

  @Test
  void bandwidthThatIsAGuess_isMarked() throws JsonProcessingException {
    String report = NodesReport.text(new ObjectMapper().readTree("{\"nodes\":[{\"node\":\"a:1\",\"target\":true,"
        + "\"bandwidthAssumed\":true,\"in\":{\"bandwidthBytesPerSec\":125000000},\"out\":{}}]}"));
    assertTrue(report.contains(" of 119.2 MB/s (a guess), 0 transfers; out "), report);
    assertFalse(report(1).contains("guess"), report(1));
  }

  @Test
  void agentThatCannotMarkItsTraffic_isMarked() throws JsonProcessingException {
    String[] lines = NodesReport.text(new ObjectMapper().readTree("{\"nodes\":["
        + "{\"node\":\"a:1\",\"target\":true,\"trafficClass\":\"cannot-mark\",\"in\":{},\"out\":{}},"
        + "{\"node\":\"b:1\",\"target\":true,\"trafficClass\":\"starved\",\"in\":{},\"out\":{}},"
        + "{\"node\":\"c:1\",\"target\":true,\"trafficClass\":\"marks\",\"in\":{},\"out\":{}}]}")).split("\n");
    assertTrue(lines[1].endsWith("transfers; cannot mark all of its traffic as lower effort"), lines[1]);
    assertTrue(lines[2].endsWith("transfers; unmarked for a while: the network starves lower effort"), lines[2]);
    assertTrue(lines[3].endsWith("transfers"), lines[3]);
  }

  @Test
  void agentThatCannotRebuild_isMarked() throws JsonProcessingException {
    String report = NodesReport.text(new ObjectMapper().readTree(
        "{\"nodes\":[{\"node\":\"a:1\",\"target\":true,\"rebuilds\":false,\"in\":{},\"out\":{}},"
            + "{\"node\":\"b:1\",\"target\":true,\"rebuilds\":true,\"in\":{},\"out\":{}}]}"));
    assertTrue(report.contains("; cannot rebuild internal blocks of erasure-coded groups\nb:1"), report);
    assertEquals(report.indexOf("cannot rebuild"), report.lastIndexOf("cannot rebuild"), report);
  }

  @Test
  void bandwidthOfVolumesThatAreSlowerThanTheNetwork_isMarked() throws JsonProcessingException {
    String report = NodesReport.text(new ObjectMapper().readTree("{\"nodes\":[{\"node\":\"a:1\",\"target\":true,"
        + "\"volumesSlower\":true,\"in\":{\"bandwidthBytesPerSec\":125000000},\"out\":{}}]}"));
    assertTrue(report.contains(" of 119.2 MB/s (its volumes), 0 transfers; out "), report);
    assertTrue(report.endsWith(" (its volumes), 0 transfers\n"), report);
  }

  @Test
  void limitThatIsWhatTheDisksTake_isMarked() throws JsonProcessingException {
    String report = NodesReport.text(new ObjectMapper().readTree("{\"nodes\":[{\"node\":\"a:1\",\"target\":true,"
        + "\"limitedByDisks\":true,\"in\":{\"recoveryLimitBytesPerSec\":2097152},"
        + "\"out\":{\"recoveryLimitBytesPerSec\":4194304}}]}"));
    assertTrue(report.contains("in 0 B / 2.0 MB (its disks) / 0 B / 0 B of "), report);
    assertTrue(report.contains("out 0 B / 4.0 MB / 0 B / 0 B of "), report);
  }

  /** What it receives is held against its network, what it sends still against its volumes. */
  @Test
  void bandwidthOfVolumes_isMarkedWhereItIsTheirs_whileItRebuilds() throws JsonProcessingException {
    String report = NodesReport.text(new ObjectMapper().readTree("{\"nodes\":[{\"node\":\"a:1\",\"target\":true,"
        + "\"volumesSlower\":true,\"rebuilding\":true,\"in\":{\"bandwidthBytesPerSec\":125000000},"
        + "\"out\":{\"bandwidthBytesPerSec\":62500000}}]}"));
    assertTrue(report.contains(" of 119.2 MB/s, 0 transfers; out "), report);
    assertTrue(report.contains(" of 59.6 MB/s (its volumes), 0 transfers"), report);
  }

  private static String report(int sharers) throws JsonProcessingException {
    return NodesReport
        .text(new ObjectMapper().readTree("{\"nodes\":[{\"node\":\"a:1\",\"target\":true,\"in\":{},\"out\":{},"
            + "\"networkSharers\":" + sharers + "}]}"));
  }

  @Test
  void shareOfTheNetwork_isShownWhereDataNodesShareIt() throws JsonProcessingException {
    assertTrue(report(5).contains("; with 1/5 of its host's network"), report(5));
    assertFalse(report(1).contains("host's network"), report(1));
  }
}
