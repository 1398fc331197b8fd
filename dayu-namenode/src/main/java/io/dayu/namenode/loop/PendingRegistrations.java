/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.TransferRequest;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The copies that we have registered in the NameNode's pending reconstruction and not unregistered yet. Thread-safe:
 * the recovery loop keeps them, and the watchdog unregisters what a loop that hangs has left; one of them at a time, so
 * that each is unregistered once.
 */
public final class PendingRegistrations {
  /** An agent chooses the id of a transfer that is adopted, so ids are unique for a target only. */
  private record Key(String target, long attempt) {
  }

  private final BlockManagement blocks;
  private final Map<Key, TransferRequest> open = new ConcurrentHashMap<>();
  private final Set<Key> ended = ConcurrentHashMap.newKeySet();

  PendingRegistrations(BlockManagement blocks) {
    this.blocks = blocks;
  }

  void enter(long attempt, TransferRequest request) {
    open.put(new Key(request.target(), attempt), request);
  }

  /** The transfer has ended: {@link #unregisterEnded} will unregister it. */
  void end(String target, long attempt) {
    ended.add(new Key(target, attempt));
  }

  /** HDFS has ended this registration itself. */
  void forget(String target, long attempt) {
    open.remove(new Key(target, attempt));
  }

  /** Unregisters what has ended. What cannot be unregistered now is kept for another try. */
  void unregisterEnded() {
    if (!ended.isEmpty()) {
      List<Key> attempts = List.copyOf(ended);
      unregister(attempts);
      ended.removeAll(attempts);
    }
  }

  /** Unregisters these, except those that have been unregistered already. */
  private synchronized void unregister(Collection<Key> attempts) {
    Map<Key, TransferRequest> mine = new LinkedHashMap<>();
    for (Key attempt : attempts) {
      TransferRequest request = open.get(attempt);
      if (request != null) {
        mine.put(attempt, request);
      }
    }
    blocks.unregister(List.copyOf(mine.values()));
    open.keySet().removeAll(mine.keySet());
  }

  void unregisterAll() {
    unregister(List.copyOf(open.keySet()));
  }

  /** Forgets everything: the NameNode has dropped its own registrations. */
  void clear() {
    open.clear();
    ended.clear();
  }

  /** What is still registered. */
  public Collection<TransferRequest> open() {
    return open.values();
  }

  /** Number of blocks that have registered copies. */
  public long blocks() {
    return open.values().stream().map(TransferRequest::block).distinct().count();
  }

  public int size() {
    return open.size();
  }
}
