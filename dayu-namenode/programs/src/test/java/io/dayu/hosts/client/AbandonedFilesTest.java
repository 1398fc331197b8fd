/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import io.dayu.harness.SeededFiles;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class AbandonedFilesTest {
  private static final int COUNTED_BYTES = 100_000;
  private static final int ALL_BYTES = 120_000;

  private final SeededFiles content = new SeededFiles(3);
  private final List<String> violations = new ArrayList<>();
  @TempDir
  Path directory;
  private AbandonedFiles abandoned;
  private String path;

  /** A file of which an append has failed, although its bytes are there. */
  @BeforeEach
  void append() throws IOException {
    FileSystem fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
    abandoned = new AbandonedFiles(fs, content);
    path = directory.resolve("file").toString();
    content.write(fs, path, ALL_BYTES, 1);
    abandoned.add(path, COUNTED_BYTES);
  }

  private void changeByte(long at) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
      file.seek(at);
      int old = file.read();
      file.seek(at);
      file.write(old ^ 1);
    }
  }

  private void shorten(long bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
      file.setLength(bytes);
    }
  }

  private void assertDeleted() {
    assertEquals(List.of(), abandoned.compareAndDelete(violations::add));
    assertEquals(List.of(), violations);
    assertFalse(Files.exists(Path.of(path)));
    assertEquals(0, abandoned.count());
    assertFalse(abandoned.contains(path));
    assertEquals(Map.of(), content.lengthsBytes());
  }

  /** What is wrong is reported once, and stays to be looked at. */
  private void assertWrongAt(long at) {
    assertEquals(List.of(), abandoned.compareAndDelete(violations::add));
    assertEquals(List.of(), abandoned.compareAndDelete(violations::add));
    assertEquals(List.of(path + " differs at byte " + at), violations);
    assertTrue(Files.exists(Path.of(path)));
    assertEquals(0, abandoned.count());
    assertTrue(abandoned.contains(path), "so that no client changes it");
  }

  @Test
  void appendedFile_thatHasWhatCounted_isDeleted() throws IOException {
    shorten(COUNTED_BYTES + 10);
    assertDeleted();
  }

  @Test
  void appendedFile_withAWrongByteThatCounted_isAViolation() throws IOException {
    changeByte(COUNTED_BYTES - 1);
    assertWrongAt(COUNTED_BYTES - 1);
  }

  @Test
  void appendedFile_withAWrongByteBeyondWhatCounted_isAViolation() throws IOException {
    changeByte(ALL_BYTES - 1);
    assertWrongAt(ALL_BYTES - 1);
  }

  @Test
  void appendedFile_thatHasLostWhatCounted_isLeft() throws IOException {
    shorten(COUNTED_BYTES - 1);
    List<String> left = abandoned.compareAndDelete(violations::add);
    assertEquals(1, left.size());
    assertTrue(left.get(0).contains("ends at 99999 of 100000 bytes"), left::toString);
    assertTrue(abandoned.contains(path));
    assertTrue(Files.exists(Path.of(path)));
  }

  @Test
  void newFile_isDeletedWhateverItHas() throws IOException {
    abandoned.add(path, 0);
    changeByte(0);
    shorten(5);
    assertDeleted();
  }
}
