/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Counts the copies that somebody, Dayu or stock HDFS, has made of blocks that had been whole and lacked replicas then.
 * A replica that comes back with its DataNode is none, nor is one that its writer's pipeline has made late. Not
 * thread-safe.
 */
final class CopiedReplicas {
  /** By block that has been whole, the DataNodes that were ever seen to have it. */
  private final Map<String, Set<String>> everHeld = new HashMap<>();
  private final Set<String> lacking = new HashSet<>();
  private long copies;

  /** Takes a look at all blocks. */
  void look(List<FsckBlock> blocks) {
    Set<String> ids = new HashSet<>();
    for (FsckBlock block : blocks) {
      ids.add(block.id());
      boolean isWhole = block.isWhole();
      Set<String> held = everHeld.get(block.id());
      if (held != null) {
        boolean lacked = lacking.contains(block.id());
        for (String address : block.addresses()) {
          if (held.add(address) && lacked) {
            copies++;
          }
        }
      } else if (isWhole) {
        everHeld.put(block.id(), new HashSet<>(block.addresses()));
      }
      if (isWhole) {
        lacking.remove(block.id());
      } else {
        lacking.add(block.id());
      }
    }
    everHeld.keySet().retainAll(ids);
    lacking.retainAll(ids);
  }

  long copies() {
    return copies;
  }
}
