/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.nic;

import io.dayu.datanode.BandwidthMeter;
import org.apache.hadoop.conf.Configuration;

import java.util.OptionalLong;

/** Dayu's meter on a node with an emulated NIC: what a host's own interface would tell. Stateless. */
public final class EmulatedNicMeter implements BandwidthMeter {
  private final EmulatedNic nic;

  /**
   * @param conf of the DataNode
   */
  public EmulatedNicMeter(Configuration conf) {
    nic = EmulatedNics.of(conf);
  }

  @Override
  public Counters read() {
    NicCounters now = nic.counters();
    return new Counters(now.bytes(Direction.IN), now.bytes(Direction.OUT));
  }

  @Override
  public OptionalLong capacityBytesPerSec() {
    return OptionalLong.of(nic.bytesPerSec());
  }

  @Override
  public double countedPerBlockByte() {
    return 1;
  }

  @Override
  public String describe() {
    return "emulated nic";
  }
}
