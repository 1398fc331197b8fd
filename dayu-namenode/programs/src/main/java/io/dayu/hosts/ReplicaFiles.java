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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Compares all finalized replicas of each block, on the disks of all DataNodes. Stateless. */
final class ReplicaFiles {
  private ReplicaFiles() {
  }

  /** What differs, one line each. No client may write meanwhile. */
  static List<String> differences(HostConf conf) throws IOException {
    Map<String, Path> first = new HashMap<>();
    List<String> different = new ArrayList<>();
    for (int node = 0; node < conf.layout().topology().nodes(); node++) {
      for (Path volume : conf.dataNodeStorage(node).volumes()) {
        for (Path file : HostStorage.finalizedOf(volume)) {
          Path replica = volume.resolve(file);
          Path other = first.putIfAbsent(file.getFileName().toString(), replica);
          if (other != null && differ(other, replica)) {
            different.add(replica + " differs from " + other);
          }
        }
      }
    }
    return different;
  }

  private static boolean differ(Path one, Path other) throws IOException {
    try {
      return Files.mismatch(one, other) >= 0;
    } catch (NoSuchFileException deleted) {
      return false; // By its DataNode, which runs.
    }
  }
}
