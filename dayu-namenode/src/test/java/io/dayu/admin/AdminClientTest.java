/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** Which blocks of a file are explained first, and what of an answer is shown. */
class AdminClientTest {
  private static final int CELL_BYTES = 1 << 20;

  private static DatanodeInfo[] nodes(int count) {
    DatanodeInfo[] nodes = new DatanodeInfo[count];
    Arrays.fill(nodes, new DatanodeInfoBuilder().build());
    return nodes;
  }

  /** Clients name files, DataNodes their hosts; an admin's terminal shows them. */
  @Test
  void answer_steersNoTerminal() throws Exception {
    JsonNode answer = new ObjectMapper()
        .readTree("{\"a\\u001b[2J\": [\"b\\u001b]0;c\\u0007\", {\"d\": \"e\\nf\u009b\"}, 5, null, true]}");
    assertEquals("{\"a [2J\":[\"b ]0;c \",{\"d\":\"e f \"},5,null,true]}", AdminClient.printable(answer).toString());
  }

  @Test
  void replicatedBlock_lacksReplicasBelowTheFilesReplication() {
    HdfsFileStatus file = mock(HdfsFileStatus.class);
    when(file.getReplication()).thenReturn((short) 3);
    for (int replicas = 0; replicas <= 4; replicas++) {
      LocatedBlock block = new LocatedBlock(new ExtendedBlock("bp", 1), nodes(replicas));
      assertEquals(replicas < 3, AdminClient.lacksReplicas(block, file), replicas + " replicas");
    }
  }

  /** RS-6-3 with cells of 1 MiB. */
  @ParameterizedTest
  @CsvSource({
      "0 1 2 3 4 5 6 7 8,   60000000, false",
      "0 1 2 3 4 5 6 7,     60000000, true",
      "0 1 2 3 4 5 6 7 7,   60000000, true",
      "0 6 7 8,             1000,     false",
      "0 6 7 8,             1048576,  false",
      "0 6 7 8,             1048577,  true",
      "0 6 8,               1000,     true"})
  void blockGroup_lacksReplicasIfAnInternalBlockIsMissing(String indices, long bytes, boolean lacks) {
    HdfsFileStatus file = mock(HdfsFileStatus.class);
    when(file.getReplication()).thenReturn((short) 1);
    when(file.getErasureCodingPolicy()).thenReturn(
        SystemErasureCodingPolicies.getByID(SystemErasureCodingPolicies.RS_6_3_POLICY_ID));
    assertEquals(CELL_BYTES, file.getErasureCodingPolicy().getCellSize());
    String[] words = indices.split(" ");
    byte[] found = new byte[words.length];
    for (int i = 0; i < words.length; i++) {
      found[i] = Byte.parseByte(words[i]);
    }
    LocatedStripedBlock group = new LocatedStripedBlock(new ExtendedBlock("bp", -16, bytes, 1), nodes(found.length),
        null, null, found, 0, false, null);
    assertEquals(lacks, AdminClient.lacksReplicas(group, file));
  }
}
