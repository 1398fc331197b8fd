/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import java.io.IOException;
import java.util.OptionalLong;

/**
 * Counts what goes in and out of this node. Read by one thread at a time, a hundred times a second while there is
 * recovery traffic.
 *
 * <p>{@code dayu.datanode.meter} may name a class of the admin's own, for traffic that the meters here cannot see. It
 * must be public, with a public constructor that takes the DataNode's {@link org.apache.hadoop.conf.Configuration}.
 */
public interface BandwidthMeter {
  /** Bytes since some moment in the past, which is the same for all readings. */
  record Counters(long inBytes, long outBytes) {
  }

  Counters read() throws IOException;

  /** What the network carries in each direction, in bytes a second; empty if the meter cannot tell. */
  OptionalLong capacityBytesPerSec();

  /**
   * How much this meter counts for each block byte that is transferred: above 1 if it sees checksums and packet
   * headers.
   */
  double countedPerBlockByte();

  /**
   * The same for two meters, of DataNodes on one host, that count the same traffic; empty if this one counts its
   * DataNode's alone.
   */
  default OptionalLong sharedId() {
    return OptionalLong.empty();
  }

  /** For the log. */
  String describe();
}
