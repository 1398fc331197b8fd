/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.exchange.NodeLoad.SharedMeter;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.VolumeProto;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

class WireMessagesTest {
  private static VolumeProto volume(String id, int maxStreams) {
    return VolumeProto.newBuilder().setStorageId(id).setStorageType("DISK").setMaxStreams(maxStreams).build();
  }

  @Test
  void load_isTranslated() {
    LoadProto.Builder load = LoadProto.newBuilder().setCapacityInBytesPerSec(1).setCapacityOutBytesPerSec(2)
        .setForegroundInBytesPerSec(3).setForegroundOutBytesPerSec(4).addVolumes(volume("a", 5))
        .addVolumes(volume("b", 6)).setNetworkBytesPerSec(7).setRecoveryInBytesPerSec(8).setRecoveryOutBytesPerSec(9);
    assertNull(WireMessages.load(load.build()).meter(), "no id: the meter is not shared");
    assertEquals(new NodeLoad(new Link(1, 3), new Link(2, 4), 2, 11, new SharedMeter(10, 7, 8, 9)),
        WireMessages.load(load.setMeterId(10).build()));
  }
}
