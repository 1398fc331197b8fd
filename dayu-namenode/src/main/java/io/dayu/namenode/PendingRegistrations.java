/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.TransferRequest;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The pending copies that we have registered with the NameNode and not settled yet. Thread-safe: the recovery loop
 * keeps them, and the watchdog settles what a loop that hangs has left; one of them at a time, so that each
 * registration is settled once.
 */
final class PendingRegistrations {
  private final BlockManagement blocks;
  /** By attempt id. */
  private final Map<Long, TransferRequest> open = new ConcurrentHashMap<>();
  private final Set<Long> ended = ConcurrentHashMap.newKeySet();

  PendingRegistrations(BlockManagement blocks) {
    this.blocks = blocks;
  }

  void enter(long attempt, TransferRequest request) {
    open.put(attempt, request);
  }

  /** The transfer has ended: {@link #settleEnded} will settle its registration. */
  void end(long attempt) {
    ended.add(attempt);
  }

  /** Settles what has ended. What cannot be settled now is kept for another try. */
  void settleEnded() {
    if (!ended.isEmpty()) {
      List<Long> attempts = List.copyOf(ended);
      settle(attempts);
      ended.removeAll(attempts);
    }
  }

  /** Settles these, except those that have been settled already. */
  private synchronized void settle(Collection<Long> attempts) {
    Map<Long, TransferRequest> mine = new LinkedHashMap<>();
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

  /** Forgets everything: the NameNode has dropped its own registrations. */
  void clear() {
    open.clear();
    ended.clear();
  }

  /** What is registered and not settled. */
  Collection<TransferRequest> open() {
    return open.values();
  }

  /** Number of blocks that have registered copies. */
  long blocks() {
    return open.values().stream().map(TransferRequest::block).distinct().count();
  }

  int size() {
    return open.size();
  }
}
