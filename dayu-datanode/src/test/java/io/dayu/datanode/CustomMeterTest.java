/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.OptionalLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.reset;
import static org.mockito.Mockito.when;

class CustomMeterTest {
  private final BandwidthMeter inner = mock(BandwidthMeter.class);
  private final BandwidthMeter meter = new CustomMeter(inner);

  @Test
  void reading_isPassedOn() throws IOException {
    BandwidthMeter.Counters counters = new BandwidthMeter.Counters(1, 2);
    when(inner.read()).thenReturn(counters);
    assertSame(counters, meter.read());
  }

  @Test
  void whateverFails_isAnIOException() throws IOException {
    for (Throwable failure : new Throwable[] {new IllegalStateException(), new NoClassDefFoundError(),
        new StackOverflowError()}) {
      when(inner.read()).thenThrow(failure);
      assertEquals(failure, assertThrows(IOException.class, meter::read).getCause());
      reset(inner);
    }
  }

  @Test
  void sharedIdThatFails_isNone() {
    when(inner.sharedId()).thenReturn(OptionalLong.of(7)).thenThrow(new IllegalStateException());
    assertEquals(OptionalLong.of(7), meter.sharedId());
    assertEquals(OptionalLong.empty(), meter.sharedId());
  }
}
