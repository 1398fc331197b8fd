/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.transfer.NodeShaper;
import org.junit.jupiter.api.Test;

import java.io.IOException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

class MeterReaderTest {
  @Test
  void meterThatFailsInWhateverWay_isOneThatCannotBeRead() throws IOException {
    BandwidthMeter meter = mock(BandwidthMeter.class);
    NodeShaper shaper = mock(NodeShaper.class);
    MeterReader reader = new MeterReader(meter, shaper);
    NumberFormatException failure = new NumberFormatException("counter");
    IOException known = new IOException("gone");
    when(meter.read()).thenThrow(failure).thenThrow(known);
    assertEquals(failure, assertThrows(IOException.class, reader::read).getCause());
    assertEquals(known, assertThrows(IOException.class, reader::read));
    verifyNoInteractions(shaper);
  }
}
