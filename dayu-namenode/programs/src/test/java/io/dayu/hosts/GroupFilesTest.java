/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class GroupFilesTest {
  private static final ErasureCodingPolicy POLICY = SystemErasureCodingPolicies.getByName("RS-3-2-1024k");
  private static final int VOLUMES = 5;
  private static final long GROUP = -160;

  private final GroupFiles groups = new GroupFiles(POLICY);
  @TempDir
  private Path directory;

  private List<Path> volumes() throws IOException {
    try (var volumes = Files.list(directory)) {
      return volumes.sorted().toList();
    }
  }

  private Path file(int index) {
    return directory.resolve("d" + index % VOLUMES + "/current/finalized/blk_" + (GROUP + index));
  }

  /** Writes a group whose data blocks have these lengths, each internal block on a volume of its own. */
  private FsckBlock write(int... lengths) throws IOException {
    byte[][] data = new byte[POLICY.getNumDataUnits()][lengths[0]];
    byte[][] parity = new byte[POLICY.getNumParityUnits()][lengths[0]];
    Random random = new Random(1);
    for (int i = 0; i < lengths.length; i++) {
      byte[] content = new byte[lengths[i]];
      random.nextBytes(content);
      data[i] = Arrays.copyOf(content, lengths[0]);
      write(i, content);
    }
    CodecUtil.createRawEncoder(new Configuration(false), POLICY.getCodecName(),
        new ErasureCoderOptions(data.length, parity.length)).encode(data, parity);
    for (int i = lengths.length; i < data.length; i++) {
      Files.deleteIfExists(file(i));
    }
    for (int i = 0; i < parity.length; i++) {
      write(data.length + i, parity[i]);
    }
    return new FsckBlock("blk_" + GROUP, lengths.length + parity.length, lengths.length + parity.length,
        lengths.length, Map.of());
  }

  private void write(int index, byte[] content) throws IOException {
    Files.createDirectories(file(index).getParent());
    Files.write(file(index), content);
  }

  @Test
  void differences_passesWholeGroups_ofAnyLength() throws IOException {
    for (int[] lengths : List.of(new int[] {1000, 1000, 1000}, new int[] {1000, 1000, 7}, new int[] {1000, 3},
        new int[] {5})) {
      FsckBlock group = write(lengths);
      assertEquals(List.of(), groups.differences(volumes(), List.of(group)), () -> Arrays.toString(lengths));
    }
  }

  @Test
  void differences_namesParityThatDoesNotFit() throws IOException {
    FsckBlock group = write(1000, 1000, 7);
    byte[] content = Files.readAllBytes(file(4));
    content[999]++;
    write(4, content);
    List<String> different = groups.differences(volumes(), List.of(group));
    assertEquals(1, different.size());
    assertTrue(different.get(0).startsWith(file(4) + " is not what"), different::toString);
  }

  @Test
  void differences_noticesDataThatDoesNotFit() throws IOException {
    FsckBlock group = write(1000, 1000, 7);
    write(2, new byte[7]);
    assertEquals(POLICY.getNumParityUnits(), groups.differences(volumes(), List.of(group)).size());
  }

  @Test
  void differences_namesWhatIsMissing_ofGroupsThatHdfsKnows() throws IOException {
    FsckBlock group = write(1000, 3);
    Files.delete(file(1));
    assertEquals(List.of("group blk_-160 has no file of internal block 1"),
        groups.differences(volumes(), List.of(group)));
  }

  @Test
  void differences_takesNoAnswerForADifference() throws IOException {
    write(1000, 3);
    assertEquals(List.of("the NameNode lists no group"), groups.differences(volumes(), List.of()));
  }
}
