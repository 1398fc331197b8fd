/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.programs;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A class path whose entries within one directory are copies in a temporary directory. Immutable.
 *
 * @param directory of the copies
 * @param text the class path
 */
record ClassPathCopy(Path directory, String text) {

  /** @param project entries below it are copied, others stay as they are */
  static ClassPathCopy of(String classPath, Path project) throws IOException {
    Path root = project.toRealPath();
    Path directory = Files.createTempDirectory("dayu-classes");
    List<String> entries = new ArrayList<>();
    for (String entry : classPath.split(File.pathSeparator)) {
      Path original = Path.of(entry).toAbsolutePath().normalize();
      if (Files.exists(original) && original.toRealPath().startsWith(root)) {
        Path copy = directory.resolve(entries.size() + "-" + original.getFileName());
        copy(original, copy);
        entries.add(copy.toString());
      } else {
        entries.add(entry);
      }
    }
    return new ClassPathCopy(directory, String.join(File.pathSeparator, entries));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  /** What cannot be deleted stays in the temporary directory. */
  void delete() {
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException | UncheckedIOException gone) {
      // Deleted before.
    }
  }
}
