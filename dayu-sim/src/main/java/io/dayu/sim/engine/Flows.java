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
 * The transfers under way, as parallel arrays in the order in which they began. A block that is pulled from two sources has two flows to
 * the same target: the second one is a leg of the first. Not thread-safe; arrays grow as needed.
 */
final class Flows {
  private int count;
  int[] block = new int[1024];
  int[] source = new int[1024];
  int[] target = new int[1024];
  /** Whether it is the second leg of its block's transfer. */
  boolean[] second = new boolean[1024];
  /** Bytes that the target lacks, of this leg. */
  double[] leftBytes = new double[1024];
  /** The rate that the plan allows; 0 for one that waits. */
  long[] grantBytesPerSec = new long[1024];
  /** The rate that agents allow. */
  double[] allowedBytesPerSec = new double[1024];
  /** The rate that the links let through. */
  double[] rateBytesPerSec = new double[1024];

  int count() {
    return count;
  }

  /** Adds a flow and tells its place. */
  int add(int blockIndex, int sourceNode, int targetNode, double bytes, long bytesPerSec) {
    if (count == block.length) {
      int capacity = count * 2;
      block = Arrays.copyOf(block, capacity);
      source = Arrays.copyOf(source, capacity);
      target = Arrays.copyOf(target, capacity);
      second = Arrays.copyOf(second, capacity);
      leftBytes = Arrays.copyOf(leftBytes, capacity);
      grantBytesPerSec = Arrays.copyOf(grantBytesPerSec, capacity);
      allowedBytesPerSec = Arrays.copyOf(allowedBytesPerSec, capacity);
      rateBytesPerSec = Arrays.copyOf(rateBytesPerSec, capacity);
    }
    block[count] = blockIndex;
    source[count] = sourceNode;
    target[count] = targetNode;
    second[count] = false;
    leftBytes[count] = bytes;
    grantBytesPerSec[count] = bytesPerSec;
    allowedBytesPerSec[count] = bytesPerSec;
    rateBytesPerSec[count] = bytesPerSec;
    return count++;
  }

  /** Marks a flow as ended; it keeps its place until {@link #compact}. */
  void end(int flow) {
    block[flow] = -1;
  }

  boolean ended(int flow) {
    return block[flow] < 0;
  }

  /** Drops the ended flows and tells where the legs of each block now are. */
  void compact(int[] flowOfBlock, int[] secondLegOfBlock) {
    int kept = 0;
    for (int flow = 0; flow < count; flow++) {
      if (block[flow] >= 0) {
        if (kept < flow) {
          block[kept] = block[flow];
          source[kept] = source[flow];
          target[kept] = target[flow];
          second[kept] = second[flow];
          leftBytes[kept] = leftBytes[flow];
          grantBytesPerSec[kept] = grantBytesPerSec[flow];
          allowedBytesPerSec[kept] = allowedBytesPerSec[flow];
          rateBytesPerSec[kept] = rateBytesPerSec[flow];
        }
        (second[kept] ? secondLegOfBlock : flowOfBlock)[block[kept]] = kept;
        kept++;
      }
    }
    count = kept;
  }
}
