/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

import java.util.Arrays;

/** The transfers granted, as parallel arrays in the order of their grants. Not thread-safe; arrays grow as needed. */
final class Flows {
  /** Agents measure the rate of a transfer over this time. */
  private static final long MEASURED_MS = 1000;

  private static final int[] NONE = {};
  private static final double[] NO_LEGS = {};

  private int count;
  int[] block = new int[1024];
  /** The only source, or the first one of a rebuild; -1 if it is gone. */
  int[] source = new int[1024];
  /** The sources of a rebuild after the first, -1 for one that is gone; none of a copy. */
  int[][] furtherSources = new int[1024][];
  /** Of a rebuild, by source: bytes that the target has of it and has not decoded, since others lag behind. */
  double[][] aheadBytes = new double[1024][];
  /** Of a rebuild, by source: the rate that the links let through. */
  double[][] legBytesPerSec = new double[1024][];
  int[] target = new int[1024];
  /** Nodes that get a further internal block of the rebuild from its target; mostly none. */
  int[][] furtherTargets = new int[1024][];
  /** Whether its agent has begun it. */
  boolean[] started = new boolean[1024];
  /** Bytes that the target lacks of the block that it receives or rebuilds; what it has not decoded it lacks. */
  double[] leftBytes = new double[1024];
  /** The rate that the plan allows, of each source; 0 for one that waits. */
  long[] grantBytesPerSec = new long[1024];
  /** The rate that agents allow. */
  double[] allowedBytesPerSec = new double[1024];
  /** The rate that the links let through; of a rebuild that of what is decoded. */
  double[] rateBytesPerSec = new double[1024];
  /** The rate that its agent last measured, over a second or more; until then the rate of its first grant. */
  double[] achievedBytesPerSec = new double[1024];
  /** When the agent's present measurement began. */
  long[] measuredMs = new long[1024];
  /** Bytes that the target lacked at that moment. */
  double[] measuredLeftBytes = new double[1024];

  int count() {
    return count;
  }

  /** Adds a copy and tells its place. */
  int add(int blockIndex, int sourceNode, int targetNode, double bytes, long bytesPerSec, long nowMs) {
    if (count == block.length) {
      int capacity = count * 2;
      block = Arrays.copyOf(block, capacity);
      source = Arrays.copyOf(source, capacity);
      furtherSources = Arrays.copyOf(furtherSources, capacity);
      aheadBytes = Arrays.copyOf(aheadBytes, capacity);
      legBytesPerSec = Arrays.copyOf(legBytesPerSec, capacity);
      target = Arrays.copyOf(target, capacity);
      furtherTargets = Arrays.copyOf(furtherTargets, capacity);
      started = Arrays.copyOf(started, capacity);
      leftBytes = Arrays.copyOf(leftBytes, capacity);
      grantBytesPerSec = Arrays.copyOf(grantBytesPerSec, capacity);
      allowedBytesPerSec = Arrays.copyOf(allowedBytesPerSec, capacity);
      rateBytesPerSec = Arrays.copyOf(rateBytesPerSec, capacity);
      achievedBytesPerSec = Arrays.copyOf(achievedBytesPerSec, capacity);
      measuredMs = Arrays.copyOf(measuredMs, capacity);
      measuredLeftBytes = Arrays.copyOf(measuredLeftBytes, capacity);
    }
    block[count] = blockIndex;
    source[count] = sourceNode;
    furtherSources[count] = NONE;
    aheadBytes[count] = NO_LEGS;
    legBytesPerSec[count] = NO_LEGS;
    target[count] = targetNode;
    furtherTargets[count] = NONE;
    started[count] = false;
    leftBytes[count] = bytes;
    grantBytesPerSec[count] = bytesPerSec;
    allowedBytesPerSec[count] = bytesPerSec;
    rateBytesPerSec[count] = bytesPerSec;
    achievedBytesPerSec[count] = bytesPerSec;
    measuredMs[count] = nowMs;
    measuredLeftBytes[count] = bytes;
    return count++;
  }

  /** Makes a flow that was added a rebuild, from these sources besides its first. */
  void rebuildFrom(int flow, int[] further) {
    furtherSources[flow] = further;
    aheadBytes[flow] = further.length == 0 ? NO_LEGS : new double[1 + further.length];
    legBytesPerSec[flow] = further.length == 0 ? NO_LEGS : new double[1 + further.length];
  }

  /** Makes the rebuild make one more internal block. */
  void addTarget(int flow, int node) {
    furtherTargets[flow] = Arrays.copyOf(furtherTargets[flow], furtherTargets[flow].length + 1);
    furtherTargets[flow][furtherTargets[flow].length - 1] = node;
  }

  /** How many nodes get a copy, or an internal block, by the flow. */
  int targetCount(int flow) {
    return 1 + furtherTargets[flow].length;
  }

  /** One of them, 0 to {@link #targetCount} - 1. */
  int target(int flow, int index) {
    return index == 0 ? target[flow] : furtherTargets[flow][index - 1];
  }

  /** Bytes that have come of a rebuild's sources and are not decoded. */
  double aheadBytes(int flow) {
    double sum = 0;
    for (double bytes : aheadBytes[flow]) {
      sum += bytes;
    }
    return sum;
  }

  /** Allows every flow that has a source what it is granted. */
  void allowGrants() {
    for (int flow = 0; flow < count; flow++) {
      allowedBytesPerSec[flow] = hasSources(flow) ? grantBytesPerSec[flow] : 0;
    }
  }

  /** How many sources the flow has: 1, or k of a rebuild. */
  int width(int flow) {
    return 1 + furtherSources[flow].length;
  }

  /** One of the sources, 0 to {@link #width} - 1. */
  int source(int flow, int index) {
    return index == 0 ? source[flow] : furtherSources[flow][index - 1];
  }

  /** Whether all of its sources are there: a rebuild needs each of them. */
  boolean hasSources(int flow) {
    boolean all = source[flow] >= 0;
    for (int further : furtherSources[flow]) {
      all &= further >= 0;
    }
    return all;
  }

  /** Notes what the flow's agent measures, if it has measured for long enough. */
  void measure(int flow, long nowMs) {
    long overMs = nowMs - measuredMs[flow];
    if (overMs >= MEASURED_MS) {
      achievedBytesPerSec[flow] = (measuredLeftBytes[flow] - leftBytes[flow]) * 1000 / overMs;
      measuredMs[flow] = nowMs;
      measuredLeftBytes[flow] = leftBytes[flow];
    }
  }

  /** Marks a flow as ended; it keeps its place until {@link #compact}. */
  void end(int flow) {
    block[flow] = -1;
  }

  boolean ended(int flow) {
    return block[flow] < 0;
  }

  /** Drops the ended flows and tells where that of each block now is. */
  void compact(int[] flowOfBlock) {
    int kept = 0;
    for (int flow = 0; flow < count; flow++) {
      if (block[flow] >= 0) {
        if (kept < flow) {
          block[kept] = block[flow];
          source[kept] = source[flow];
          furtherSources[kept] = furtherSources[flow];
          aheadBytes[kept] = aheadBytes[flow];
          legBytesPerSec[kept] = legBytesPerSec[flow];
          target[kept] = target[flow];
          furtherTargets[kept] = furtherTargets[flow];
          started[kept] = started[flow];
          leftBytes[kept] = leftBytes[flow];
          grantBytesPerSec[kept] = grantBytesPerSec[flow];
          allowedBytesPerSec[kept] = allowedBytesPerSec[flow];
          rateBytesPerSec[kept] = rateBytesPerSec[flow];
          achievedBytesPerSec[kept] = achievedBytesPerSec[flow];
          measuredMs[kept] = measuredMs[flow];
          measuredLeftBytes[kept] = measuredLeftBytes[flow];
        }
        flowOfBlock[block[kept]] = kept;
        kept++;
      }
    }
    count = kept;
  }
}
