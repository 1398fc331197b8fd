/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

/** How much memory the rebuilds of this DataNode hold, and the bound on it. Safe for use by all threads. */
final class RebuildMemory {
  private final long maxBytes;
  private long reservedBytes;

  RebuildMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  long maxBytes() {
    return maxBytes;
  }

  /** Reserves memory, and returns true, if there is enough left. */
  synchronized boolean tryReserve(long bytes) {
    if (bytes > maxBytes - reservedBytes) {
      return false;
    }
    reservedBytes += bytes;
    return true;
  }

  synchronized void release(long bytes) {
    reservedBytes -= bytes;
  }
}
