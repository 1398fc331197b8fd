/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.VolumeProto;

/** Translates messages of the wire, which {@link ReportCheck} has accepted, into records of the loop. No state. */
public final class WireMessages {
  private WireMessages() {
  }

  /** What a load says. */
  public static NodeLoad load(LoadProto load) {
    int writeStreams = 0;
    for (VolumeProto volume : load.getVolumesList()) {
      writeStreams += volume.getMaxStreams();
    }
    return new NodeLoad(
        new NodeLoad.Link(load.getCapacityInBytesPerSec(), load.getForegroundInBytesPerSec()),
        new NodeLoad.Link(load.getCapacityOutBytesPerSec(), load.getForegroundOutBytesPerSec()),
        load.getVolumesCount(), writeStreams, load.hasMeterId() ? meter(load) : null);
  }

  private static NodeLoad.SharedMeter meter(LoadProto load) {
    return new NodeLoad.SharedMeter(load.getMeterId(), load.getNetworkBytesPerSec(), load.getRecoveryInBytesPerSec(),
        load.getRecoveryOutBytesPerSec());
  }
}
