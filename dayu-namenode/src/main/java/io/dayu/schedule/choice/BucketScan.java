/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

/**
 * Looks at the least loaded node of every bucket: O(buckets) for each choice. Not thread-safe.
 */
public final class BucketScan implements TargetSelector {
  private final BandwidthBuckets buckets = new BandwidthBuckets();

  @Override
  public String name() {
    return "bucketscan";
  }

  @Override
  public void reset(NodeLoads loads) {
    buckets.reset(loads);
  }

  /** Begins a plan in which nodes are compared by their bandwidth alone, without their weights. */
  public void resetUnweighted(NodeLoads loads) {
    buckets.reset(loads, loads::unweightedBandwidth);
  }

  @Override
  public int select(long sizeBytes, TargetRules rules) {
    return scan(buckets, sizeBytes, rules);
  }

  /** One pass. It checks a bucket's nodes against the rules only if the bucket would improve on the best so far. */
  public static int scan(BandwidthBuckets buckets, long sizeBytes, TargetRules rules) {
    double[] minLoad = buckets.minLoad();
    double[] inverse = buckets.inverse();
    int best = -1;
    double bestSeconds = Double.POSITIVE_INFINITY;
    for (int bucket = buckets.count() - 1; bucket >= 0; bucket--) {
      if ((minLoad[bucket] + sizeBytes) * inverse[bucket] < bestSeconds) {
        int node = buckets.minLoaded(bucket, rules);
        if (node >= 0) {
          double seconds = (buckets.load(node) + (double) sizeBytes) * inverse[bucket];
          if (seconds < bestSeconds) {
            best = node;
            bestSeconds = seconds;
          }
        }
      }
    }
    return best;
  }

  @Override
  public void loadChanged(int node) {
    buckets.loadChanged(node);
  }
}
