/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Deletes what a cluster leaves on disk. Stateless. */
public final class TestDirectory {
  private static final int DELETING_THREADS = 4;
  private static final Duration DELETION_LIMIT = Duration.ofMinutes(2);

  private TestDirectory() {
  }

  /** Deletes a directory with everything in it, if it is there. */
  public static void delete(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    deleteFiles(root);
    try (Stream<Path> tree = Files.walk(root)) {
      for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }

  /**
   * Deletes the files in a directory by several threads: on a disk that is told what is free, one thread waits for more
   * than a millisecond for each of them. What cannot be deleted stays.
   */
  private static void deleteFiles(Path root) throws IOException {
    ExecutorService deleting = Executors.newFixedThreadPool(DELETING_THREADS);
    try {
      Files.walkFileTree(root, new SimpleFileVisitor<>() {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
          deleting.execute(() -> file.toFile().delete());
          return FileVisitResult.CONTINUE;
        }

        /** A DataNode that has been stopped may still delete blocks. */
        @Override
        public FileVisitResult visitFileFailed(Path file, IOException gone) {
          return FileVisitResult.CONTINUE;
        }
      });
      deleting.shutdown();
      deleting.awaitTermination(DELETION_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      deleting.shutdownNow();
    }
  }
}
