/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.NodeTable;
import io.dayu.model.TaskTable;

import java.util.Arrays;

/**
 * What the plan being made has put on each node so far: c_in, c_out, streams and room of ATC'19 §4.1, against what the
 * node can carry within the horizon. Not thread-safe; arrays are sized once and reused for the next plan.
 *
 * <p>A transfer counts with the bytes that it can move within the horizon: the least of its remaining bytes and of what
 * each of its ends can carry alone ({@link #movableBytes}). So a block larger than B·T fills its node, whereas the
 * paper's check would never let it be planned, and the sum over all nodes never exceeds S (equation 2).
 *
 * <p>A rebuild moves the same number of bytes from each of its k sources, and k times as many to its target, whose
 * disks write as many as each source sends. All of what the target receives counts for S.
 */
public final class NodeLoads {
  /** Size of the sample of blocks that gives {@link #typicalBytes}. */
  private static final int SAMPLE = 64;

  private ClusterSnapshot snapshot;
  private long[] tieBreak;
  private int count;
  private double[] selectionBandwidth = new double[0];
  private long[] volumeIn = new long[0];
  private long[] volumeOut = new long[0];
  private long[] volumeWrite = new long[0];
  private long[] assignedIn = new long[0];
  private long[] assignedOut = new long[0];
  private long[] assignedWrite = new long[0];
  /** The number of streams that the node may still begin; 0 if it accepts no transfers or has no bandwidth. */
  private int[] freeIncoming = new int[0];
  private int[] freeOutgoing = new int[0];
  private long[][] roomLeft = new long[0][];
  private long volumeBytes;
  private long plannedBytes;

  /** Begins a plan: nothing is assigned. */
  public void reset(ClusterSnapshot planSnapshot) {
    snapshot = planSnapshot;
    NodeTable nodes = snapshot.nodes();
    count = nodes.count();
    tieBreak = nodes.tieBreak();
    if (volumeIn.length < count) {
      selectionBandwidth = new double[count];
      volumeIn = new long[count];
      volumeOut = new long[count];
      volumeWrite = new long[count];
      assignedIn = new long[count];
      assignedOut = new long[count];
      assignedWrite = new long[count];
      freeIncoming = new int[count];
      freeOutgoing = new int[count];
    }
    if (roomLeft.length != nodes.storageTypes() || roomLeft[0].length < count) {
      roomLeft = new long[nodes.storageTypes()][count];
    }
    Arrays.fill(assignedIn, 0, count, 0);
    Arrays.fill(assignedOut, 0, count, 0);
    Arrays.fill(assignedWrite, 0, count, 0);
    for (int type = 0; type < roomLeft.length; type++) {
      System.arraycopy(nodes.roomBytes()[type], 0, roomLeft[type], 0, count);
    }
    takeRoomOfRunning();
    plannedBytes = 0;
    long horizonMs = snapshot.parameters().horizonMs();
    long sumIn = 0;
    long sumOut = 0;
    for (int node = 0; node < count; node++) {
      long in = nodes.recoverInBytesPerSec()[node];
      volumeIn[node] = bytesIn(in, horizonMs);
      volumeOut[node] = bytesIn(nodes.recoverOutBytesPerSec()[node], horizonMs);
      volumeWrite[node] =
          nodes.writeBytesPerSec() == null ? Long.MAX_VALUE : bytesIn(nodes.writeBytesPerSec()[node], horizonMs);
      freeIncoming[node] = nodes.acceptsTransfers()[node] && receives(node) ? nodes.maxIncoming()[node] : 0;
      freeOutgoing[node] = volumeOut[node] > 0 ? nodes.maxOutgoing()[node] : 0;
      selectionBandwidth[node] = unweightedBandwidth(node)
          * (nodes.targetWeight() == null ? 1 : nodes.targetWeight()[node]);
      sumIn += in;
      sumOut += nodes.recoverOutBytesPerSec()[node];
    }
    volumeBytes = bytesIn(Math.min(sumIn, sumOut), horizonMs);
  }

  /** As HDFS counts it: a block takes its room, besides what is in use, until the DataNode has announced it. */
  private void takeRoomOfRunning() {
    for (int running = 0; running < snapshot.running().count(); running++) {
      int task = snapshot.running().task()[running];
      int target = snapshot.running().target()[running];
      long sizeBytes = snapshot.tasks().sizeBytes()[task];
      if (hasRoom(target, sizeBytes, snapshot.tasks().storageTypes()[task])) {
        takeRoom(target, sizeBytes, snapshot.tasks().storageTypes()[task]);
      }
    }
  }

  /** Bytes moved at a rate in a time, rounded down; {@code Long.MAX_VALUE} if that is more than a long holds. */
  public static long bytesIn(long bytesPerSec, long millis) {
    if (Math.multiplyHigh(bytesPerSec, millis) == 0) {
      long product = bytesPerSec * millis;
      if (product >= 0) {
        return product / 1000;
      }
    }
    double bytes = (double) bytesPerSec * millis / 1000;
    return (long) bytes;
  }

  /** A number made from the snapshot, for random algorithms: the same snapshot always gives the same number. */
  public long seed() {
    long seed = Arrays.hashCode(snapshot.nodes().recoverInBytesPerSec());
    seed = 31 * seed + Arrays.hashCode(snapshot.nodes().recoverOutBytesPerSec());
    seed = 31 * seed + Arrays.hashCode(snapshot.tasks().sizeBytes());
    seed = 31 * seed + Arrays.hashCode(snapshot.tasks().sources().values());
    return 31 * seed + Arrays.hashCode(snapshot.running().doneBytes());
  }

  /** What targets receive for most blocks of a sample, the largest of several such sizes. */
  long typicalBytes() {
    TaskTable tasks = snapshot.tasks();
    long[] sample = new long[Math.min(SAMPLE, tasks.count())];
    for (int i = 0; i < sample.length; i++) {
      sample[i] = tasks.receivedBytes((int) ((long) i * tasks.count() / sample.length));
    }
    Arrays.sort(sample);
    long usual = 0;
    int maxCount = 0;
    for (int first = 0, next = 0; first < sample.length; first = next) {
      while (next < sample.length && sample[next] == sample[first]) {
        next++;
      }
      if (next - first >= maxCount) {
        maxCount = next - first;
        usual = sample[first];
      }
    }
    return usual;
  }

  /**
   * The lower edge of the bandwidth's bucket (§4.1), or the bandwidth itself if it is less than a bucket's width. Never
   * more than the bandwidth: a node that seems faster than it is would be chosen when it is saturated, and the block
   * would wait though others had bandwidth left.
   */
  public static long bucketed(long bytesPerSec, long bucketBytesPerSec) {
    return bytesPerSec < bucketBytesPerSec || bucketBytesPerSec == 0 ? bytesPerSec
        : bytesPerSec - bytesPerSec % bucketBytesPerSec;
  }

  public int count() {
    return count;
  }

  /**
   * B_recover_in as target selection sees it: at bucket precision, and weighted. 0 for a node that can receive nothing.
   */
  public double selectionBandwidth(int node) {
    return selectionBandwidth[node];
  }

  /** B_recover_in at bucket precision, not weighted. 0 for a node that can receive nothing. */
  double unweightedBandwidth(int node) {
    NodeTable nodes = snapshot.nodes();
    long bytesPerSec = nodes.recoverInBytesPerSec()[node];
    if (nodes.writeBytesPerSec() != null) {
      bytesPerSec = Math.min(bytesPerSec, nodes.writeBytesPerSec()[node]);
    }
    return bucketed(bytesPerSec, snapshot.parameters().bucketBytesPerSec());
  }

  /** Whether the first of two equally loaded nodes of one bucket is preferred as the target. */
  public boolean winsTie(int node, int other) {
    return tieBreak != null && tieBreak[node] < tieBreak[other];
  }

  public long volumeIn(int node) {
    return volumeIn[node];
  }

  /** Whether the node can receive anything, and write it. */
  public boolean receives(int node) {
    return volumeIn[node] > 0 && volumeWrite[node] > 0;
  }

  /** Bytes that the target can get of each of its sources within the horizon, if it has no other transfer. */
  public long volumeOfEach(int target, int width) {
    return Math.min(width == 1 ? volumeIn[target] : volumeIn[target] / width, volumeWrite[target]);
  }

  public long volumeOut(int node) {
    return volumeOut[node];
  }

  /** c_in: bytes that the node is to receive within the horizon. */
  public long assignedIn(int node) {
    return assignedIn[node];
  }

  /** Bytes that the target is to write within the horizon. */
  public long assignedWrite(int node) {
    return assignedWrite[node];
  }

  /** c_out: bytes that the node is to send within the horizon. */
  public long assignedOut(int node) {
    return assignedOut[node];
  }

  /** S of equation 2, bytes. */
  public long volumeBytes() {
    return volumeBytes;
  }

  /** Whether S is filled. */
  public boolean volumeIsFilled() {
    return plannedBytes >= volumeBytes;
  }

  /** How many of a transfer's bytes can move within the horizon between two otherwise idle nodes. */
  public long movableBytes(long bytes, int source, int target) {
    return Math.min(bytes, Math.min(volumeOut[source], volumeOfEach(target, 1)));
  }

  /** The same for a transfer from {@code sources[from]} to {@code sources[end - 1]}: how many bytes of each. */
  public long movableBytes(long bytes, int[] sources, int from, int end, int target) {
    long movable = Math.min(bytes, volumeOfEach(target, end - from));
    for (int i = from; i < end; i++) {
      movable = Math.min(movable, volumeOut[sources[i]]);
    }
    return movable;
  }

  /** Whether the node may be a target at all now, whatever the block. */
  public boolean acceptsMore(int node) {
    return freeIncoming[node] > 0;
  }

  /** Whether the node can serve one more stream, whatever the block. */
  public boolean servesMore(int node) {
    return freeOutgoing[node] > 0;
  }

  /** Whether a copy of {@code bytes} more saturates the target; its first transfer never does. */
  public boolean saturatesTarget(int node, long bytes) {
    return saturatesTarget(node, bytes, 1);
  }

  /** The same for a transfer that receives {@code bytes} from each of {@code width} sources. */
  public boolean saturatesTarget(int node, long bytes, int width) {
    return assignedIn[node] > 0
        && (assignedIn[node] + width * bytes > volumeIn[node] || assignedWrite[node] + bytes > volumeWrite[node]);
  }

  /** Whether more is assigned to the target than it can receive and write. */
  public boolean isOverloaded(int target) {
    return assignedIn[target] > volumeIn[target] || assignedWrite[target] > volumeWrite[target];
  }

  /** Whether {@code bytes} more saturate the source; its first transfer never does. */
  public boolean saturatesSource(int node, long bytes) {
    return assignedOut[node] > 0 && assignedOut[node] + bytes > volumeOut[node];
  }

  /** Whether some type of {@code storageTypes} has room for the block. */
  public boolean hasRoom(int node, long sizeBytes, int storageTypes) {
    return typeWithRoom(node, sizeBytes, storageTypes) >= 0;
  }

  /** Takes room for a block: of the first type in the set, by index, that has enough. */
  public void takeRoom(int node, long sizeBytes, int storageTypes) {
    roomLeft[typeWithRoom(node, sizeBytes, storageTypes)][node] -= sizeBytes;
  }

  private int typeWithRoom(int node, long sizeBytes, int storageTypes) {
    for (int set = storageTypes; set != 0; set &= set - 1) {
      int type = Integer.numberOfTrailingZeros(set);
      if (roomLeft[type][node] >= sizeBytes) {
        return type;
      }
    }
    return -1;
  }

  /** Puts a transfer of {@code bytes} (as of {@link #movableBytes}) on both ends. */
  public void assign(int source, int target, long bytes) {
    assignedOut[source] += bytes;
    freeOutgoing[source]--;
    assignedIn[target] += bytes;
    assignedWrite[target] += bytes;
    freeIncoming[target]--;
    plannedBytes += bytes;
  }

  /**
   * Puts a transfer of {@code bytes} from each of {@code sources[from]} to {@code sources[end - 1]} on all its ends.
   */
  public void assign(int[] sources, int from, int end, int target, long bytes) {
    for (int i = from; i < end; i++) {
      assignSource(sources[i], bytes);
    }
    long received = (end - from) * bytes;
    assignedIn[target] += received;
    assignedWrite[target] += bytes;
    freeIncoming[target]--;
    plannedBytes += received;
  }

  /**
   * Counts a block that is to begin anew on the target in a later timeslot: none of S is spent on it yet.
   *
   * @param bytes what it gets from each of {@code width} sources
   */
  public void expect(int target, long bytes, int width) {
    long expected = Math.min(bytes, volumeOfEach(target, width));
    assignedIn[target] += width * expected;
    assignedWrite[target] += expected;
    freeIncoming[target]--;
  }

  /** Takes back {@link #expect}. */
  public void unexpect(int target, long bytes, int width) {
    long expected = Math.min(bytes, volumeOfEach(target, width));
    assignedIn[target] -= width * expected;
    assignedWrite[target] -= expected;
    freeIncoming[target]++;
  }

  /** Puts a stream of {@code bytes} on a source only. */
  public void assignSource(int source, long bytes) {
    assignedOut[source] += bytes;
    freeOutgoing[source]--;
  }

  /** Takes back {@link #assignSource}. */
  public void releaseSource(int source, long bytes) {
    assignedOut[source] -= bytes;
    freeOutgoing[source]++;
  }

  /** Takes back what was assigned. */
  public void release(int[] sources, int from, int end, int target, long bytes) {
    for (int i = from; i < end; i++) {
      releaseSource(sources[i], bytes);
    }
    long received = (end - from) * bytes;
    assignedIn[target] -= received;
    assignedWrite[target] -= bytes;
    freeIncoming[target]++;
    plannedBytes -= received;
  }

  /** Counts a transfer that waits on its target: it holds a stream there and moves nothing. */
  public void assignPaused(int target) {
    freeIncoming[target]--;
  }
}
