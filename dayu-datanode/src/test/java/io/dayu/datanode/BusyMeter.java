/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/** A meter that shows outgoing foreground traffic when a test says so, and nothing of ours. Safe for use by all threads. */
public final class BusyMeter implements BandwidthMeter {
  static final long LINK = 10_000_000;
  private static final double NANOS_PER_SEC = 1e9;
  private static final Map<String, BusyMeter> BY_NODE = new ConcurrentHashMap<>();

  private boolean busy;
  private long lastNanos = System.nanoTime();
  private double outBytes;

  public BusyMeter(Configuration conf) {
    BY_NODE.put(key(conf), this);
  }

  static BusyMeter of(DataNode node) {
    return BY_NODE.get(key(node.getConf()));
  }

  private static String key(Configuration conf) {
    return conf.get(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY);
  }

  /** From now on the link is full of foreground, or idle. */
  synchronized void busy(boolean now) {
    read();
    busy = now;
  }

  @Override
  public synchronized Counters read() {
    long nowNanos = System.nanoTime();
    outBytes += busy ? LINK * ((nowNanos - lastNanos) / NANOS_PER_SEC) : 0;
    lastNanos = nowNanos;
    return new Counters(0, (long) outBytes);
  }

  @Override
  public OptionalLong capacityBytesPerSec() {
    return OptionalLong.of(LINK);
  }

  @Override
  public double countedPerBlockByte() {
    return 0;
  }

  @Override
  public String describe() {
    return "of a test";
  }
}
