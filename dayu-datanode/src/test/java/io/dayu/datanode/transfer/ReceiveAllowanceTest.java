/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What a transfer acquires from its link, for blocks and packets of several sizes. */
class ReceiveAllowanceTest {
  @ParameterizedTest
  @CsvSource({"1, 65536, 1, 1", "65536, 65536, 1, 1", "524288, 65536, 1, 8", "524289, 65536, 1, 9",
      "524288, 4096, 1, 8", "1000000, 131072, 1, 8", "1, 65536, 196608, 1", "524288, 65536, 196608, 3",
      "524289, 65536, 196608, 3", "655361, 65536, 196608, 4", "524288, 4096, 196608, 3", "524288, 131072, 65536, 4"})
  void allBytes_areAcquired_beforeTheyCome(int blockBytes, int packetBytes, int batchBytes, int acquisitions) {
    check(blockBytes, packetBytes, batchBytes, 100_000_000, acquisitions);
  }

  /** On a link of 1 GB/s: what is acquired long before it comes would be counted as clients' traffic, too. */
  @ParameterizedTest
  @CsvSource({"100000000, 8", "20000000, 9", "4000000, 42", "1000000, 128", "0, 128"})
  void slowTransfer_isNotFarAhead(long rateBytesPerSec, int acquisitions) {
    check(8 << 20, 65_536, 1 << 20, rateBytesPerSec, acquisitions);
  }

  private static void check(int blockBytes, int packetBytes, int batchBytes, long rateBytesPerSec, int acquisitions) {
    ReceiveAllowance allowance = new ReceiveAllowance(batchBytes);
    long acquired = 0;
    long received = 0;
    int count = 0;
    while (received < blockBytes) {
      int missing = allowance.missingBytes(blockBytes - received, rateBytesPerSec);
      if (missing > 0) {
        allowance.acquired(missing);
        acquired += missing;
        count++;
      }
      int packet = (int) Math.min(packetBytes, blockBytes - received);
      allowance.received(packet);
      received += packet;
      assertTrue(acquired >= received || packetBytes > ReceiveAllowance.PACKET_BYTES, acquired + " of " + received);
    }
    assertEquals(blockBytes, acquired);
    assertEquals(acquisitions, count);
  }
}
