/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

import java.util.Arrays;

/**
 * Chooses the target of least (c_in + s) / B_in by a tournament among the buckets of ATC'19 §4.1. Not thread-safe;
 * arrays are sized once and reused.
 *
 * <p><b>Goal.</b> The same answer as the paper's convex hull ({@code io.dayu.schedule.paper}), with less work for each
 * choice where most blocks have one size, as in HDFS.
 *
 * <p><b>Algorithm.</b> The buckets, by bandwidth, are the leaves of a tree in which each place has four below it, and
 * holds the least time (c + u) / B below it for the usual size u.
 * <ul>
 * <li>A block of that size goes to the winner at the root. Assigning it plays the matches on the way up from its bucket
 *     again, without a branch that depends on loads. A bucket's number is in the last bits of its time, so no path is
 *     followed down.
 * <li>For a smaller size s no bucket with more bandwidth than the winner can be better: each time shrinks by (u - s) /
 *     B, which is more for a smaller B. For a larger size no bucket with less bandwidth can be better. The rest is
 *     scanned in groups of four: the group's time for u, less (u - s) / B of its slowest bucket, is a bound for all
 *     four, and few groups are below the best so far.
 * <li>Where the winner is not allowed for the block, all groups are scanned.
 * </ul>
 *
 * <p><b>Exactness.</b> The number of the bucket takes the last bits of the time, so two buckets count as equal whose
 * times differ by less than one part in 4 billion (with 256 buckets, one in 10^13).
 *
 * <p><b>Example.</b> u = 20, buckets (B, c) = (10, 0), (20, 30), (30, 30): times 2, 2.5, 1.67, so the third wins. For s
 * = 6 all three can be better; their group's bound is 1.67 - 14/10 = 0.27 against 1.2 of the winner. In it, the first
 * has 0.6.
 */
public final class BucketTournament implements TargetSelector {
  private static final long INFINITE_BITS = Double.doubleToLongBits(Double.POSITIVE_INFINITY);
  /**
   * The number of parts into which the usual size is divided. Each part keeps its last answer as the first guess for
   * the next block of similar size.
   */
  private static final int SIMILAR = 16;

  private final BandwidthBuckets buckets = new BandwidthBuckets();
  private double[] minLoad;
  private double[] inverse;
  private double typicalBytes;
  private int count;
  private int firstGroup;
  private int firstLeaf;
  private long bucketMask;
  /** By place: the least time below it as the bits of a double, the last of which are the bucket's number. */
  private long[] winner = new long[0];
  private final int[] lastAnswer = new int[SIMILAR + 1];

  @Override
  public String name() {
    return "tournament";
  }

  @Override
  public void reset(NodeLoads loads) {
    buckets.reset(loads);
    minLoad = buckets.minLoad();
    inverse = buckets.inverse();
    count = buckets.count();
    typicalBytes = loads.typicalBytes();
    firstGroup = 0;
    firstLeaf = 1;
    while (firstLeaf - firstGroup < (count + 3) / 4) {
      firstGroup = firstLeaf;
      firstLeaf = 4 * firstLeaf + 1;
    }
    bucketMask = 4L * (firstLeaf - firstGroup) - 1;
    if (winner.length < firstLeaf + bucketMask + 1) {
      winner = new long[firstLeaf + (int) bucketMask + 1];
    }
    Arrays.fill(winner, INFINITE_BITS);
    for (int bucket = 0; bucket < count; bucket++) {
      winner[firstLeaf + bucket] = time(bucket);
    }
    for (int place = firstLeaf - 1; place >= 0; place--) {
      for (int below = 4 * place + 1; below <= 4 * place + 4; below++) {
        winner[place] = less(winner[place], winner[below]);
      }
    }
    Arrays.fill(lastAnswer, 0);
  }

  private long time(int bucket) {
    return Double.doubleToRawLongBits((minLoad[bucket] + typicalBytes) * inverse[bucket]) & ~bucketMask | bucket;
  }

  /** The lesser of two numbers that are not negative, without a branch that could be predicted wrong. */
  private static long less(long a, long b) {
    long difference = a - b;
    return b + (difference & difference >> 63);
  }

  @Override
  public int select(long sizeBytes, TargetRules rules) {
    if (winner[0] >= INFINITE_BITS) {
      return -1;
    }
    int bucket = (int) (winner[0] & bucketMask);
    int node = buckets.minLoaded(bucket);
    if (!rules.allows(node)) {
      return search(sizeBytes, rules, 0, count - 1, -1);
    }
    if (sizeBytes == typicalBytes) {
      return node;
    }
    return sizeBytes < typicalBytes ? search(sizeBytes, rules, 0, bucket, bucket)
        : search(sizeBytes, rules, bucket, count - 1, bucket);
  }

  /**
   * Searches the buckets from {@code from} to {@code to}.
   *
   * @param known a bucket whose least loaded node is allowed, or -1
   */
  private int search(long sizeBytes, TargetRules rules, int from, int to, int known) {
    int best = -1;
    int bestBucket = -1;
    double bestSeconds = Double.POSITIVE_INFINITY;
    int similar = (int) Math.min(SIMILAR, sizeBytes / (typicalBytes + 1) * SIMILAR);
    int guess = lastAnswer[similar];
    double[] load = minLoad;
    if (known >= 0) {
      bestBucket = known;
      best = buckets.minLoaded(known);
      bestSeconds = (load[known] + sizeBytes) * inverse[known];
    }
    if (guess < count && (load[guess] + sizeBytes) * inverse[guess] < bestSeconds
        && rules.allows(buckets.minLoaded(guess))) {
      bestBucket = guess;
      best = buckets.minLoaded(guess);
      bestSeconds = (load[guess] + sizeBytes) * inverse[guess];
    }
    double more = sizeBytes - typicalBytes;
    int outermost = more < 0 ? 0 : 3;
    for (int group = from >> 2; group <= to >> 2; group++) {
      double seconds = Double.longBitsToDouble(winner[firstGroup + group] & ~bucketMask);
      if (seconds + more * inverse[Math.min(4 * group + outermost, count - 1)] >= bestSeconds) {
        continue;
      }
      for (int bucket = 4 * group; bucket < Math.min(4 * group + 4, count); bucket++) {
        if ((load[bucket] + sizeBytes) * inverse[bucket] < bestSeconds) {
          int node = buckets.minLoaded(bucket, rules);
          if (node >= 0 && (buckets.load(node) + (double) sizeBytes) * inverse[bucket] < bestSeconds) {
            best = node;
            bestBucket = bucket;
            bestSeconds = (buckets.load(node) + (double) sizeBytes) * inverse[bucket];
          }
        }
      }
    }
    lastAnswer[similar] = Math.max(0, bestBucket);
    return best;
  }

  @Override
  public void loadChanged(int node) {
    int bucket = buckets.loadChanged(node);
    if (bucket < 0) {
      return;
    }
    int place = firstLeaf + bucket;
    long time = time(bucket);
    long[] all = winner;
    all[place] = time;
    while (place > 0) {
      int at = place - 1 & 3;
      int first = place - at;
      time = less(time, less(all[first + (at ^ 1)], less(all[first + (at ^ 2)], all[first + (at ^ 3)])));
      place = place - 1 >> 2;
      all[place] = time;
    }
  }
}
