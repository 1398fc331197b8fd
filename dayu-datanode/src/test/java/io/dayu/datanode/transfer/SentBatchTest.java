/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** What senders of packets wait for. */
class SentBatchTest {
  private static final int KB = 1024;

  private static List<Integer> waits(int maxBytes, int packetBytes, int packets) {
    SentBatch batch = new SentBatch(maxBytes);
    List<Integer> waits = new ArrayList<>();
    for (int i = 0; i < packets; i++) {
      waits.add(batch.sent(packetBytes, false));
    }
    waits.add(batch.sent(4, true));
    return waits;
  }

  @Test
  void batches_growFromOnePacket_andTheRestIsWaitedForAtTheEnd() {
    assertEquals(List.of(64 * KB, 0, 128 * KB, 0, 0, 192 * KB, 0, 0, 192 * KB, 0, 64 * KB + 4),
        waits(192 * KB, 64 * KB, 10));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 64})
  void onASlowLink_eachPacketIsWaitedFor(int maxKb) {
    assertEquals(List.of(65 * KB, 65 * KB, 65 * KB, 4), waits(maxKb * KB, 65 * KB, 3));
  }

  @Test
  void smallPackets_waitTogether_alsoOnASlowLink() {
    assertEquals(List.of(32 * KB, 0, 64 * KB, 0, 64 * KB, 4), waits(64 * KB, 32 * KB, 5));
  }
}
