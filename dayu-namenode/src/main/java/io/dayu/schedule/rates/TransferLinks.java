/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.rates;

import java.util.Arrays;

/**
 * The question put to a {@link RateAllocator}: transfers with weights, each crossing some links that have capacities. A
 * link is whatever transfers share: a node's sending or receiving side, or its disks. A rack's uplink would be another
 * one, and would need its place in {@code NodeLoads}, too, by which nodes are chosen. A link may carry several bytes
 * for each byte of a transfer: the target of a rebuild receives k. Not thread-safe; arrays grow as needed and are
 * reused.
 */
public final class TransferLinks {
  private long[] capacity = new long[0];
  private int linkCount;
  private long horizonMs;
  private long[] weight = new long[16];
  private boolean[] first = new boolean[16];
  private int[] firstHop = new int[17];
  private int[] hops = new int[32];
  private int[] factors = new int[32];
  private int count;

  /** Begins a new question, over links 0 to {@code links} - 1 of capacity 0. */
  public void reset(int links) {
    if (capacity.length < links) {
      capacity = new long[links];
    }
    Arrays.fill(capacity, 0, links, 0);
    linkCount = links;
    horizonMs = 0;
    count = 0;
    firstHop[0] = 0;
  }

  /** Sets the time within which all transfers should end; 0, the initial value, sets none. */
  public void setHorizonMs(long millis) {
    horizonMs = millis;
  }

  public void setCapacity(int link, long bytesPerSec) {
    capacity[link] = bytesPerSec;
  }

  /**
   * Adds a transfer, which gets the next index. Say next which links it {@link #crosses}: at least one, none twice.
   *
   * @param transferWeight the bytes to be moved; at least 1, and the sum of all, times their factors, at most 2^60
   */
  public void add(long transferWeight) {
    if (count == weight.length) {
      weight = Arrays.copyOf(weight, count * 2);
      first = Arrays.copyOf(first, count * 2);
      firstHop = Arrays.copyOf(firstHop, count * 2 + 1);
    }
    first[count] = false;
    weight[count++] = transferWeight;
    firstHop[count] = firstHop[count - 1];
  }

  /** Says that the transfer added last goes before others on full links, as far as the {@link RateAllocator} can. */
  public void setFirst() {
    first[count - 1] = true;
  }

  /** Says that the transfer added last crosses {@code link}, byte for byte. */
  public void crosses(int link) {
    crosses(link, 1);
  }

  /** Says that {@code link} carries {@code factor} bytes, at least 1, for each byte of the transfer added last. */
  public void crosses(int link, int factor) {
    if (firstHop[count] == hops.length) {
      hops = Arrays.copyOf(hops, hops.length * 2);
      factors = Arrays.copyOf(factors, hops.length);
    }
    factors[firstHop[count]] = factor;
    hops[firstHop[count]++] = link;
  }

  public int count() {
    return count;
  }

  public int links() {
    return linkCount;
  }

  public long horizonMs() {
    return horizonMs;
  }

  public long capacity(int link) {
    return capacity[link];
  }

  public long weight(int transfer) {
    return weight[transfer];
  }

  public boolean isFirst(int transfer) {
    return first[transfer];
  }

  /** First position in {@link #hop} of the links that the transfer crosses; they end where those of the next begin. */
  public int firstHop(int transfer) {
    return firstHop[transfer];
  }

  public int hop(int position) {
    return hops[position];
  }

  /** Bytes that the link of this hop carries for each byte of the transfer. */
  public int factor(int position) {
    return factors[position];
  }
}
