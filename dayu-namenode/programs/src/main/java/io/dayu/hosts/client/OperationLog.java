/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Every operation with its planned moment and how it ended. Thread-safe. Written as CSV: kind, planned microseconds
 * since the beginning, bytes, microseconds that it took from the planned moment.
 */
final class OperationLog {
  private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();

  /** One operation; ended once, by one thread. */
  static final class Entry {
    private final PlannedOperation operation;
    private volatile long latencyUs = ClientTask.UNFINISHED;

    private Entry(PlannedOperation operation) {
      this.operation = operation;
    }

    void finished(long latencyNs) {
      latencyUs = Math.max(0, latencyNs / 1_000);
    }

    void failed() {
      latencyUs = ClientTask.FAILED;
    }
  }

  Entry begin(PlannedOperation operation) {
    Entry entry = new Entry(operation);
    entries.add(entry);
    return entry;
  }

  void write(Path file) throws IOException {
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
      for (Entry entry : entries) {
        out.println(entry.operation.kind() + "," + entry.operation.atNs() / 1_000 + "," + entry.operation.bytes() + ","
            + entry.latencyUs);
      }
    }
  }
}
