/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Two files with a class of the same simple name, in whatever modules, would have readers open the wrong one. */
class SimpleNamesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String SOURCES = "(.*/)?src/(main|test)/java/.*\\.java";

  @Test
  void simpleName_isThatOfOneFileInAllModules() throws IOException {
    Map<String, List<String>> files = new TreeMap<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.filter(path -> path.getFileName().toString().startsWith("dayu-")).toList()) {
        Files.walkFileTree(module, new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return folder.endsWith("target") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String path = ROOT.relativize(file).toString();
            if (path.matches(SOURCES) && !path.endsWith("package-info.java")) {
              files.computeIfAbsent(file.getFileName().toString(), name -> new ArrayList<>()).add(path);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE; // JVMs under test make and remove files beside the sources.
          }
        });
      }
    }
    assertTrue(files.size() > 900, () -> "only " + files.size() + " files found below " + ROOT);
    files.values().removeIf(paths -> paths.size() == 1);
    assertEquals(Map.of(), files);
  }
}
