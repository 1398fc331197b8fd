/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;

import java.util.OptionalLong;

/**
 * The DataNode's own byte counters. Coarse: {@code BytesRead} changes only at the end of a read, and the counters
 * include neither what a write pipeline passes on nor other processes of the host. Stateless.
 */
final class DataNodeMeter implements BandwidthMeter {
  private final DataNodeAccess node;

  DataNodeMeter(DataNodeAccess node) {
    this.node = node;
  }

  @Override
  public Counters read() {
    return new Counters(node.bytesWritten(), node.bytesRead());
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
