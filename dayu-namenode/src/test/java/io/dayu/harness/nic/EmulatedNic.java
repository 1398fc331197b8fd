/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.nic;

/**
 * The network interface that one DataNode of an embedded cluster would have on a machine of its own: full duplex, each
 * direction a link of its own that all block data of that DataNode shares. Safe for use by all threads.
 *
 * <p>Every stream of block data is a {@link Flow}; those that compete get equal shares of a direction, as TCP
 * connections would. There is no switch, no latency, no loss, and headers, checksums and RPCs cost nothing.
 */
public final class EmulatedNic {
  private final Link in;
  private final Link out;
  private volatile long bytesPerSec;

  /**
   * @param bytesPerSec what it carries in each direction
   */
  public EmulatedNic(long bytesPerSec) {
    this.bytesPerSec = checked(bytesPerSec);
    this.in = new Link(bytesPerSec);
    this.out = new Link(bytesPerSec);
  }

  /** What it carries in each direction while it is limited. */
  public long bytesPerSec() {
    return bytesPerSec;
  }

  /** Limits it to another rate, at once, also for what is on its way. */
  public void limitTo(long newBytesPerSec) {
    bytesPerSec = checked(newBytesPerSec);
    in.set(newBytesPerSec, true);
    out.set(newBytesPerSec, true);
  }

  /**
   * Lets everything through at once, as while a test fills the cluster, until the next {@link #limitTo}. It still
   * counts.
   */
  public void unlimit() {
    in.set(bytesPerSec, false);
    out.set(bytesPerSec, false);
  }

  public NicCounters counters() {
    return new NicCounters(in.carriedBytes(Traffic.FOREGROUND), in.carriedBytes(Traffic.RECOVERY),
        out.carriedBytes(Traffic.FOREGROUND), out.carriedBytes(Traffic.RECOVERY));
  }

  /** Block data that this node sends. */
  public Flow sending(Traffic traffic) {
    return Flow.over(traffic, out);
  }

  /** Block data that this node receives and, where it stands in a pipeline, passes on. */
  public Flow receiving(Traffic traffic) {
    return Flow.over(traffic, in, out);
  }

  private static long checked(long bytesPerSec) {
    if (bytesPerSec <= 0) {
      throw new IllegalArgumentException("bandwidth " + bytesPerSec + " bytes/s");
    }
    return bytesPerSec;
  }
}
