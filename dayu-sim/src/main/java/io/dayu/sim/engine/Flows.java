/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.engine;

import java.util.Arrays;

/**
 * The transfers under way, as parallel arrays in the order in which they began. Not thread-safe; arrays grow as needed.
 */
final class Flows {
  private int count;
  int[] block = new int[1024];
  int[] source = new int[1024];
  int[] target = new int[1024];
  /** Bytes that the target lacks. */
  double[] leftBytes = new double[1024];
  /** The rate that the plan allows. */
  long[] grantBytesPerSec = new long[1024];
  /** The rate that the links let through. */
  double[] rateBytesPerSec = new double[1024];

  int count() {
    return count;
  }

  void add(int blockIndex, int sourceNode, int targetNode, long sizeBytes, long bytesPerSec) {
    if (count == block.length) {
      int capacity = count * 2;
      block = Arrays.copyOf(block, capacity);
      source = Arrays.copyOf(source, capacity);
      target = Arrays.copyOf(target, capacity);
      leftBytes = Arrays.copyOf(leftBytes, capacity);
      grantBytesPerSec = Arrays.copyOf(grantBytesPerSec, capacity);
      rateBytesPerSec = Arrays.copyOf(rateBytesPerSec, capacity);
    }
    block[count] = blockIndex;
    source[count] = sourceNode;
    target[count] = targetNode;
    leftBytes[count] = sizeBytes;
    grantBytesPerSec[count] = bytesPerSec;
    rateBytesPerSec[count++] = bytesPerSec;
  }

  /** Marks a transfer as ended; it keeps its place until {@link #compact}. */
  void end(int flow) {
    block[flow] = -1;
  }

  boolean ended(int flow) {
    return block[flow] < 0;
  }

  /** Drops the ended transfers and tells where each block's transfer now is. */
  void compact(int[] flowOfBlock) {
    int kept = 0;
    for (int flow = 0; flow < count; flow++) {
      if (block[flow] >= 0) {
        if (kept < flow) {
          block[kept] = block[flow];
          source[kept] = source[flow];
          target[kept] = target[flow];
          leftBytes[kept] = leftBytes[flow];
          grantBytesPerSec[kept] = grantBytesPerSec[flow];
          rateBytesPerSec[kept] = rateBytesPerSec[flow];
        }
        flowOfBlock[block[kept]] = kept++;
      }
    }
    count = kept;
  }
}
