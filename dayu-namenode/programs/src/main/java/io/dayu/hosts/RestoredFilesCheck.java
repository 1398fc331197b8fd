/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Whether what was restored is what the data set had: each file and its checksums, byte by byte. Immutable.
 *
 * @param replicas that were compared
 * @param internalBlocks that were compared
 * @param different those that differ, or lack their checksums, by their files
 */
record RestoredFilesCheck(int replicas, int internalBlocks, List<String> different) {
  static final RestoredFilesCheck NOTHING = new RestoredFilesCheck(0, 0, List.of());

  /**
   * Compares what was not there before. Files that are one with those of the data set are passed over.
   *
   * @param volumes of DataNodes
   * @param originals the files of the data set by their paths within a volume, those of all replicas
   */
  static RestoredFilesCheck compare(List<Path> volumes, Map<Path, List<Path>> originals) throws IOException {
    int replicas = 0;
    int internalBlocks = 0;
    List<String> different = new ArrayList<>();
    for (Path volume : volumes) {
      for (Path file : HostStorage.blocksOf(volume).keySet()) {
        Path restored = volume.resolve(file);
        if (!originals.containsKey(file)) {
          continue;
        }
        try {
          if (isOneOf(originals.get(file), restored)) {
            continue;
          }
          Path original = originals.get(file).get(0);
          if (Files.mismatch(restored, original) >= 0 || !hasSameChecksums(restored, original)) {
            different.add(restored.toString());
          }
        } catch (NoSuchFileException e) {
          if (Files.exists(restored)) {
            throw e;
          }
          continue; // Its DataNode, which runs, has just deleted it.
        }
        if (DataPlacement.isInternalBlock(file)) {
          internalBlocks++;
        } else {
          replicas++;
        }
      }
    }
    return new RestoredFilesCheck(replicas, internalBlocks, different);
  }

  private static boolean isOneOf(List<Path> files, Path file) throws IOException {
    for (Path other : files) {
      if (Files.isSameFile(file, other)) {
        return true;
      }
    }
    return false;
  }

  /** They are in a file beside it, whose name has the generation stamp. */
  private static boolean hasSameChecksums(Path restored, Path original) throws IOException {
    try (Stream<Path> siblings = Files.list(original.getParent())) {
      Path checksums = siblings
          .filter(file -> file.getFileName().toString().startsWith(original.getFileName() + "_")).findFirst()
          .orElseThrow(() -> new IOException(original + " has no checksums"));
      Path copy = restored.resolveSibling(checksums.getFileName());
      return Files.exists(copy) && Files.mismatch(copy, checksums) < 0;
    }
  }

  /** For people. */
  String text() {
    return internalBlocks + " internal blocks and " + replicas + " replicas compared, " + different.size() + " differ";
  }
}
