/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import java.util.HashMap;
import java.util.Map;

/**
 * How much recovery traffic this node has sent, as the active NameNodes tell: summed over block pools and over activations, in each of
 * which a NameNode counts from zero. Safe for use by all threads.
 */
final class ServedBytes {
  private record Count(long activation, long bytes) {
  }

  private final Map<String, Count> lastByPool = new HashMap<>();
  private long totalBytes;

  /** Takes over what a pool's active NameNode says; a value lower than before in the same activation says nothing new. */
  synchronized void told(String blockPoolId, long activation, long bytes) {
    Count last = lastByPool.get(blockPoolId);
    long knownBytes = last != null && last.activation() == activation ? last.bytes() : 0;
    if (bytes >= knownBytes) {
      totalBytes += bytes - knownBytes;
      lastByPool.put(blockPoolId, new Count(activation, bytes));
    }
  }

  synchronized long total() {
    return totalBytes;
  }
}
