/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.HdfsBlockLocation;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.DatanodeInfoWithStorage;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CheckedFilesTest {
  private static final int CHANGES = 60;
  private static final String POLICY = "RS-3-2-1024k";
  private static final long FULL_GROUP = 3 << 20;

  private final Local fs = new Local();
  private final SplittableRandom random = new SplittableRandom(1);
  @TempDir
  java.nio.file.Path directory;

  /** Files whose blocks have all replicas, and that can be appended to while nothing fails. */
  private static final class Local extends RawLocalFileSystem {
    boolean refusesAppends;
    int appends;
    /** What the next looks at a file find, as indices of its group; after them no block. */
    final Deque<byte[]> indices = new ArrayDeque<>();

    @Override
    public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length) throws IOException {
      return indices.isEmpty() ? new BlockLocation[0] : new BlockLocation[] {group(indices.remove())};
    }

    private static BlockLocation group(byte[] indices) throws IOException {
      DatanodeInfoWithStorage[] nodes = new DatanodeInfoWithStorage[indices.length];
      Arrays.fill(nodes, new DatanodeInfoWithStorage(
          new DatanodeInfoBuilder().setIpAddr("10.0.0.1").setHostName("d0").build(), "DS-1", StorageType.DISK));
      LocatedStripedBlock block = new LocatedStripedBlock(new ExtendedBlock("BP-1", -16, 1, 1), nodes, null, null,
          indices, 0, false, null);
      return new HdfsBlockLocation(new BlockLocation(new String[indices.length], new String[indices.length], 0,
          FULL_GROUP), block);
    }

    @Override
    public FSDataOutputStream append(Path file, int bufferSize, Progressable progress) throws IOException {
      assertFalse(file.toString().contains("groups"), file::toString);
      if (refusesAppends) {
        throw new IOException("no appends");
      }
      appends++;
      return super.append(file, bufferSize, progress);
    }
  }

  @BeforeEach
  void initialize() throws IOException {
    fs.initialize(URI.create("file:///"), new Configuration());
  }

  private CheckedFiles files(int max) {
    return new CheckedFiles(new CheckedTask(1, 1 << 20, max, 10_000, ""), fs, directory + "/");
  }

  @Test
  void written_countsWritesAndAppends_andNoDeletions() throws IOException {
    CheckedFiles files = files(1);
    int deletions = 0;
    for (int i = 0; i < CHANGES; i++) {
      int before = files.report().files();
      files.change(random);
      deletions += files.report().files() < before ? 1 : 0;
    }
    assertTrue(deletions > 0 && fs.appends > 0, "of all kinds some");
    assertEquals(CHANGES - deletions, files.report().written());
  }

  @Test
  void failedAppend_leavesTheFileToBeComparedAndDeleted() throws Exception {
    CheckedFiles files = files(CHANGES);
    files.change(random);
    fs.refusesAppends = true;
    assertThrows(IOException.class, () -> {
      for (int i = 0; i < CHANGES; i++) {
        files.change(random);
      }
    });
    assertEquals(1, files.report().abandoned());
    int before = files.report().files();
    files.check();
    assertEquals(0, files.report().abandoned());
    assertEquals(before - 1, files.report().files());
    assertTrue(files.report().violations().isEmpty(), files.report()::toString);
  }

  @Test
  void everySecondFile_isErasureCoded_andNobodyAppendsToIt() throws IOException {
    CheckedFiles files = new CheckedFiles(new CheckedTask(1, 1 << 20, CHANGES, 10_000, POLICY), fs, directory + "/");
    for (int i = 0; i < CHANGES; i++) {
      files.change(random);
    }
    assertTrue(fs.appends > 0, "some are appended to");
    int coded = fs.listStatus(new Path(directory + "/groups")).length;
    int others = fs.listStatus(new Path(directory.toString())).length - 1;
    assertTrue(Math.abs(coded - others) <= 1, () -> coded + " and " + others);
  }

  @Test
  void group_countsWithOneInternalBlockMoreThanItTakesToReadIt() throws IOException {
    CheckedFiles files = new CheckedFiles(new CheckedTask(1, 1 << 20, CHANGES, 10_000, POLICY), fs, directory + "/");
    fs.indices.addAll(List.of(new byte[] {0, 1, 4}, new byte[] {0, 1, 4, 4}, new byte[] {0, 1, 3, 4}, new byte[] {0}));
    files.change(random);
    assertEquals(1, fs.indices.size(), "it looks until the third one");
    assertEquals(1, files.report().written());
  }
}
