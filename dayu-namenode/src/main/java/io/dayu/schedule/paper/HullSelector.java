/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.paper;

import io.dayu.schedule.choice.BandwidthBuckets;
import io.dayu.schedule.choice.BucketScan;
import io.dayu.schedule.choice.NodeLoads;
import io.dayu.schedule.choice.TargetRules;
import io.dayu.schedule.choice.TargetSelector;

import java.util.Arrays;

/**
 * The bucketed dynamic lower convex hull of ATC'19 §4.1: O(log hull) for a choice. Not thread-safe; arrays are sized
 * once and reused.
 *
 * <p><b>Goal.</b> The same answer as {@link BucketScan}, without looking at every bucket.
 *
 * <p><b>Algorithm.</b> Draw each bucket as the point (B, c) of its bandwidth and least load. The time (c + s) / B is
 * the slope of the line to it from (0, -s), and the point of least slope lies on the lower hull: where the line touches
 * it. Walking right along the hull the slope falls as long as s is more than (c' B - c B') / (B' - B) for the edge from
 * (B, c) to (B', c'), which is where the edge, prolonged, meets the axis, upside down. These thresholds grow from edge
 * to edge, so they are kept beside the hull, and a choice is one binary search.
 * <ul>
 * <li>Loads only grow, so points only move up. One above the hull stays above it. When one on the hull moves, its
 *     neighbours stay on the hull, and only the buckets between them can become part of it: that stretch alone is built
 *     anew: the lowest point below the line of the neighbours, then the lowest below the two new lines, and so on.
 * <li>Points on an edge are part of the hull at first: at the start all loads are 0, and without them the first
 *     stretches would be long.
 * <li>If the chosen bucket's least loaded node is not allowed for the block, {@link BucketScan} answers: exact whatever
 *     the exclusions, and rare where they are a small part of the nodes.
 * </ul>
 *
 * <p><b>Example.</b> Buckets (10, 0), (20, 30), (30, 30), s = 6. Hull: (10, 0), (30, 30) with threshold (30·10 - 0·30)
 * / 20 = 15. 6 is not more than 15: the first bucket, 0.6 s against 1.8 and 1.2. With s = 20 the last one: 1.67 s
 * against 2 and 2.5.
 */
public final class HullSelector implements TargetSelector {
  /** Buckets from which on a stretch is built in one pass rather than by descent, whose depth could be as great. */
  private static final int LONG_STRETCH = 1024;

  private final BandwidthBuckets buckets = new BandwidthBuckets();
  private double[] bandwidth;
  private double[] minLoad;
  private int[] hull = new int[0];
  private double[] threshold = new double[0];
  private int size;
  private int[] stretch = new int[0];
  private int stretchSize;

  @Override
  public String name() {
    return "hull";
  }

  @Override
  public void reset(NodeLoads loads) {
    buckets.reset(loads);
    bandwidth = buckets.bandwidth();
    minLoad = buckets.minLoad();
    if (hull.length < buckets.count()) {
      hull = new int[buckets.count()];
      threshold = new double[buckets.count()];
      stretch = new int[buckets.count()];
    }
    chain(0, buckets.count() - 1);
    size = stretchSize;
    System.arraycopy(stretch, 0, hull, 0, size);
    setThresholds(0, size - 1);
  }

  @Override
  public int select(long sizeBytes, TargetRules rules) {
    if (size == 0) {
      return -1;
    }
    int low = 0;
    int high = size - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sizeBytes > threshold[middle]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    int node = buckets.minLoaded(hull[low]);
    return rules.allows(node) ? node : BucketScan.scan(buckets, sizeBytes, rules);
  }

  @Override
  public void loadChanged(int node) {
    int bucket = buckets.loadChanged(node);
    if (bucket < 0) {
      return;
    }
    int at = Arrays.binarySearch(hull, 0, size, bucket);
    if (at < 0) {
      return;
    }
    rebuild(at);
    // The stretch begins with the left neighbour and ends with the right one, where there are such.
    int begin = at > 0 ? at - 1 : at;
    int end = at + 1 < size ? at + 2 : at + 1;
    if (begin + stretchSize != end) {
      System.arraycopy(hull, end, hull, begin + stretchSize, size - end);
      System.arraycopy(threshold, end, threshold, begin + stretchSize, size - end);
      size += begin + stretchSize - end;
    }
    System.arraycopy(stretch, 0, hull, begin, stretchSize);
    setThresholds(begin, Math.min(begin + stretchSize, size - 1));
  }

  /**
   * Builds in {@link #stretch} the hull from the left to the right neighbour of the hull's place {@code at}, whose
   * point has moved.
   */
  private void rebuild(int at) {
    int right = at + 1 < size ? hull[at + 1] : buckets.count() - 1;
    int left = at > 0 ? hull[at - 1] : 0;
    // The leftmost and the rightmost bucket that have a node are always on the hull.
    while (right > left && minLoad[right] == Double.POSITIVE_INFINITY) {
      right--;
    }
    while (left < right && minLoad[left] == Double.POSITIVE_INFINITY) {
      left++;
    }
    if (right - left > LONG_STRETCH) {
      chain(left, right);
      return;
    }
    stretchSize = 0;
    if (left < right) {
      stretch[stretchSize++] = left;
      collectBelow(left, right);
    }
    if (minLoad[right] < Double.POSITIVE_INFINITY) {
      stretch[stretchSize++] = right;
    }
  }

  /**
   * Appends the points of the lower hull strictly between two of its points: the lowest below their line, and so on.
   */
  private void collectBelow(int left, int right) {
    double[] x = bandwidth;
    double[] y = minLoad;
    double width = x[right] - x[left];
    double rise = y[right] - y[left];
    double fromX = x[left];
    double fromY = y[left];
    double min = 0;
    int found = -1;
    for (int bucket = left + 1; bucket < right; bucket++) {
      double height = (y[bucket] - fromY) * width - (x[bucket] - fromX) * rise;
      if (height < min) {
        min = height;
        found = bucket;
      }
    }
    if (found >= 0) {
      collectBelow(left, found);
      stretch[stretchSize++] = found;
      collectBelow(found, right);
    }
  }

  /**
   * Builds in {@link #stretch} the lower hull of the buckets from {@code first} to {@code last}, points on its edges
   * included.
   */
  private void chain(int first, int last) {
    int count = 0;
    for (int bucket = first; bucket <= last; bucket++) {
      if (minLoad[bucket] == Double.POSITIVE_INFINITY) {
        continue;
      }
      while (count >= 2 && isAbove(stretch[count - 2], stretch[count - 1], bucket)) {
        count--;
      }
      stretch[count++] = bucket;
    }
    stretchSize = count;
  }

  /** Whether the middle point lies above the line from the left one to the right one. */
  private boolean isAbove(int left, int middle, int right) {
    return (bandwidth[middle] - bandwidth[left]) * (minLoad[right] - minLoad[left])
        < (minLoad[middle] - minLoad[left]) * (bandwidth[right] - bandwidth[left]);
  }

  /** Computes the thresholds of the edges that begin at hull places {@code from} to {@code to} - 1. */
  private void setThresholds(int from, int to) {
    for (int at = from; at < to; at++) {
      double b = bandwidth[hull[at]];
      double next = bandwidth[hull[at + 1]];
      threshold[at] = (minLoad[hull[at + 1]] * b - minLoad[hull[at]] * next) / (next - b);
    }
  }
}
