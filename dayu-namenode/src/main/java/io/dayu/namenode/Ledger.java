/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.TransferRequest;

import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What we have registered in the NameNode's books and not settled yet. Thread-safe: the recovery loop keeps it, and the watchdog settles
 * what a loop that hangs has left; one of them at a time, so that each entry is settled once.
 */
final class Ledger {
  private final BlockManagerAccess blocks;
  private final Map<Long, TransferRequest> open = new ConcurrentHashMap<>();

  Ledger(BlockManagerAccess blocks) {
    this.blocks = blocks;
  }

  void enter(long attempt, TransferRequest request) {
    open.put(attempt, request);
  }

  /** Settles these attempts, except those that have been settled already. What cannot be settled now is kept for another try. */
  synchronized void settle(Collection<Long> attempts) {
    Map<Long, TransferRequest> mine = new HashMap<>();
    for (Long attempt : attempts) {
      TransferRequest request = open.get(attempt);
      if (request != null) {
        mine.put(attempt, request);
      }
    }
    blocks.settle(List.copyOf(mine.values()));
    open.keySet().removeAll(mine.keySet());
  }

  void settleAll() {
    settle(List.copyOf(open.keySet()));
  }

  /** Forgets everything: the NameNode has dropped its own books. */
  void clear() {
    open.clear();
  }

  int size() {
    return open.size();
  }
}
