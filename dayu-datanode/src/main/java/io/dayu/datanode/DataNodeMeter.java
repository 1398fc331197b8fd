/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The DataNode's own byte counters. Coarse: they include neither what a write pipeline passes on nor other processes of
 * the host. Not thread-safe.
 *
 * <p>HDFS counts a read only at its end, clients' and recovery's alike. Recovery's reads are counted here while they
 * are served, and their ends are subtracted from HDFS's counter, else each end would look like a burst of clients'
 * traffic. HDFS does not count a read that is broken off; what waits for such an end is forgotten when recovery has
 * read nothing for {@link #IDLE_NS}.
 */
final class DataNodeMeter implements BandwidthMeter {
  private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(10);
  /** HDFS counts what it reads from the disk: a checksum of 4 bytes for each 512, by default. */
  private static final double READ_PER_BLOCK_BYTE = 1 + 4.0 / 512;

  private final LongSupplier writtenBytes;
  private final LongSupplier readBytes;
  private final LongSupplier servedBytes;
  private final LongSupplier clockNs;
  private long lastReadBytes;
  private long lastServedBytes;
  private long servedNs;
  /** What recovery's reads have been served and HDFS has not counted yet. */
  private double uncountedBytes;
  private double outBytes;

  /**
   * @param writtenBytes HDFS's counter of bytes written
   * @param readBytes HDFS's counter of bytes read, which moves at the end of each read
   * @param servedBytes block bytes that recovery's reads have been served, since the start
   * @param clockNs monotonic
   */
  DataNodeMeter(LongSupplier writtenBytes, LongSupplier readBytes, LongSupplier servedBytes, LongSupplier clockNs) {
    this.writtenBytes = writtenBytes;
    this.readBytes = readBytes;
    this.servedBytes = servedBytes;
    this.clockNs = clockNs;
    this.lastReadBytes = readBytes.getAsLong();
    this.lastServedBytes = servedBytes.getAsLong();
    this.servedNs = clockNs.getAsLong();
  }

  @Override
  public Counters read() {
    long nowNs = clockNs.getAsLong();
    // Before the other counter: what ends in between is then subtracted with the next reading, and not missed.
    long read = readBytes.getAsLong();
    long served = servedBytes.getAsLong();
    long newServed = served - lastServedBytes;
    servedNs = newServed > 0 ? nowNs : servedNs;
    uncountedBytes = nowNs - servedNs > IDLE_NS ? 0 : uncountedBytes + READ_PER_BLOCK_BYTE * newServed;
    double ownBytes = Math.min(uncountedBytes, Math.max(0, read - lastReadBytes));
    uncountedBytes -= ownBytes;
    outBytes += Math.max(0, read - lastReadBytes) - ownBytes + newServed;
    lastReadBytes = read;
    lastServedBytes = served;
    return new Counters(writtenBytes.getAsLong(), (long) outBytes);
  }

  @Override
  public OptionalLong capacityBytesPerSec() {
    return OptionalLong.empty();
  }

  @Override
  public double countedPerBlockByte() {
    return 1;
  }

  @Override
  public String describe() {
    return "datanode";
  }
}
