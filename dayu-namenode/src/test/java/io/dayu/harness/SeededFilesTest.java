/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SeededFilesTest {
  private final SeededFiles files = new SeededFiles(3);
  @TempDir
  Path directory;
  private FileSystem fs;
  private String path;

  @BeforeEach
  void write() throws IOException {
    fs = FileSystem.getLocal(new Configuration()).getRawFileSystem();
    path = directory.resolve("file").toString();
    files.write(fs, path, 150_000, 1);
  }

  @Test
  void compare_acceptsWhatWasWrittenAndAppended() throws IOException {
    assertEquals(Optional.empty(), files.compare(fs, path));
    files.append(fs, path, 70_001);
    assertEquals(Optional.empty(), files.compare(fs, path));
    assertEquals(Map.of(path, 220_001L), files.lengthsBytes());
  }

  @Test
  void compareAtLeast_acceptsMore_andNothingLess() {
    assertEquals(Optional.empty(), files.compareAtLeast(fs, path, 150_000));
    assertEquals(Optional.empty(), files.compareAtLeast(fs, path, 100_000));
    assertEquals(Optional.of(path + " cannot be read: ends at 150000 of 150001 bytes"),
        files.compareAtLeast(fs, path, 150_001));
  }

  @Test
  void compare_seesOneChangedByte() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
      file.seek(149_999);
      int last = file.read();
      file.seek(149_999);
      file.write(last ^ 1);
    }
    assertEquals(Optional.of(path + " differs at byte 149999"), files.compare(fs, path));
  }

  @Test
  void compare_seesAnotherLength() throws IOException {
    byte[] content = Files.readAllBytes(Path.of(path));
    Files.write(Path.of(path), Arrays.copyOf(content, 150_001));
    assertEquals(Optional.of(path + " is longer than 150000 bytes"), files.compare(fs, path));
    Files.write(Path.of(path), Arrays.copyOf(content, 100));
    assertTrue(files.compare(fs, path).orElseThrow().contains("ends at 100 of 150000 bytes"));
  }

  @Test
  void compare_acceptsWhatIsLeftOfATruncatedFile() throws IOException {
    files.truncate(fs, path, 149_999);
    assertEquals(Optional.empty(), files.compare(fs, path));
    assertEquals(Map.of(path, 149_999L), files.lengthsBytes());
  }

  @Test
  void compare_expectsInACopyWhatTheFileContainedThen() throws IOException {
    String copy = directory.resolve("copy").toString();
    Files.copy(Path.of(path), Path.of(copy));
    files.copied(path, copy);
    files.delete(fs, path);
    assertEquals(Optional.empty(), files.compare(fs, copy));
    assertEquals(Map.of(copy, 150_000L), files.lengthsBytes());
  }

  @Test
  void delete_forgetsTheFile() throws IOException {
    files.delete(fs, path);
    assertEquals(Map.of(), files.lengthsBytes());
  }
}
