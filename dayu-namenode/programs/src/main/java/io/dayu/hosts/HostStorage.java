/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The volumes of a DataNode. Immutable.
 *
 * @param directory of the host: the volume, if there is one, or else the parent of all
 */
record HostStorage(Path directory, int volumeCount) {
  private static final String CURRENT = "current";
  private static final String FAILED = "failed";
  private static final String FINALIZED = "finalized";
  private static final int MAX_LOOKS = 20;
  /** The directories of a block pool for replicas that are received and written. */
  private static final Set<String> UNFINISHED = Set.of("tmp", "rbw");

  List<Path> volumes() {
    return volumeCount == 1 ? List.of(directory)
        : IntStream.range(0, volumeCount).mapToObj(volume -> directory.resolve("volume" + volume)).toList();
  }

  /** As the setting has them. */
  String uris() {
    return volumes().stream().map(volume -> volume.toUri().toString()).collect(Collectors.joining(","));
  }

  /**
   * The finalized blocks, internal blocks of groups as well, and those that are written, with their lengths in bytes,
   * by the paths of their files within a volume, which are alike in all volumes.
   */
  Map<Path, Long> blocks() throws IOException {
    Map<Path, Long> blocks = new TreeMap<>();
    for (Path volume : volumes()) {
      blocks.putAll(blocksOf(volume));
    }
    return blocks;
  }

  private static long lengthBytes(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Map<Path, Long> blocksOf(Path volume) throws IOException {
    for (int look = 1;; look++) {
      try (Stream<Path> files = Files.walk(volume)) {
        return files.filter(file -> file.getFileName().toString().matches("blk_-?\\d+"))
            .collect(Collectors.toMap(volume::relativize, HostStorage::lengthBytes, (a, b) -> a, TreeMap::new));
      } catch (UncheckedIOException e) {
        // A running DataNode may remove a file between the look into the directory and that at the file.
        if (!(e.getCause() instanceof NoSuchFileException) || look == MAX_LOOKS) {
          throw e.getCause();
        }
      }
    }
  }

  /** The finalized ones of {@link #blocksOf}. */
  static List<Path> finalizedOf(Path volume) throws IOException {
    return blocksOf(volume).keySet().stream().filter(file -> file.toString().contains(FINALIZED)).toList();
  }

  /** The files of replicas that were begun and neither finished nor removed. */
  List<Path> partialReplicas() throws IOException {
    List<Path> partial = new ArrayList<>();
    for (Path volume : volumes()) {
      blocksOf(volume).keySet().stream()
          .filter(file -> file.startsWith(CURRENT) && UNFINISHED.contains(file.getParent().getFileName().toString()))
          .forEach(partial::add);
    }
    return partial;
  }

  /** A volume whose files are gone and cannot be made again, as when its disk fails. Root may do all else. */
  static void fail(Path volume) throws IOException {
    Files.move(volume.resolve(CURRENT), volume.resolve(FAILED));
    Files.createFile(volume.resolve(CURRENT));
  }

  /** The volume as it was before {@link #fail}. No process may use it. */
  static void repair(Path volume) throws IOException {
    Files.delete(volume.resolve(CURRENT));
    Files.move(volume.resolve(FAILED), volume.resolve(CURRENT));
  }

  /** An empty volume in place of one after {@link #fail}. No process may use it. */
  static void replace(Path volume) throws IOException {
    repair(volume);
    try (Stream<Path> contents = Files.list(volume)) {
      for (Path content : contents.toList()) {
        DirectoryTree.delete(content);
      }
    }
  }
}
