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
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CheckedFilesTest {
  private static final int CHANGES = 60;

  private final Local fs = new Local();
  private final SplittableRandom random = new SplittableRandom(1);
  @TempDir
  java.nio.file.Path directory;

  /** Files whose blocks have all replicas, and that can be appended to while nothing fails. */
  private static final class Local extends RawLocalFileSystem {
    boolean refusesAppends;
    int appends;

    @Override
    public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length) {
      return new BlockLocation[0];
    }

    @Override
    public FSDataOutputStream append(Path file, int bufferSize, Progressable progress) throws IOException {
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
}
