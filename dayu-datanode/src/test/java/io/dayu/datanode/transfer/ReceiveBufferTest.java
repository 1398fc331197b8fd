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
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The receive buffer by link and round trip. */
class ReceiveBufferTest {
  /** The sources of a rebuild send at once, so each gets a share; but not less than a packet needs. */
  @ParameterizedTest
  @CsvSource({"125_000_000, 3, 131072", "12_500_000, 1, 125000", "12_500_000, 3, 41666", "12_500_000, 10, 16384"})
  void buffersOfOneTransfer_areTogetherAsLargeAsOne(String linkBytesPerSec, int sharers, int bytes) {
    assertEquals(bytes,
        new ReceiveBuffer(Long.parseLong(linkBytesPerSec.replace("_", ""))).bytes("s", sharers));
  }

  @ParameterizedTest
  @CsvSource({"1_000_000, 16384", "3_125_000, 31250", "125_000_000, 131072", "3_125_000_000, 131072"})
  void unknownSource_getsWhatTheLinkCarriesInTenMilliseconds(String linkBytesPerSec, int bytes) {
    assertEquals(bytes, new ReceiveBuffer(Long.parseLong(linkBytesPerSec.replace("_", ""))).bytes("s", 1));
  }

  @Test
  void longRoundTripOfAFastLink_isLeftToTheKernel() {
    ReceiveBuffer buffer = new ReceiveBuffer(3_125_000_000L);
    buffer.connected("s", 500_000);
    buffer.connected("t", 10_000);
    assertEquals(ReceiveBuffer.AUTOMATIC, buffer.bytes("s", 1));
    assertEquals(128 * 1024, buffer.bytes("t", 1));
  }

  @Test
  void connectThatMetAQueue_changesNothing() {
    ReceiveBuffer buffer = new ReceiveBuffer(125_000_000);
    buffer.connected("s", 100_000);
    buffer.connected("s", 50_000_000);
    assertEquals(128 * 1024, buffer.bytes("s", 1));
  }
}
