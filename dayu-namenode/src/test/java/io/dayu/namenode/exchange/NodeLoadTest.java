/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.exchange;

import io.dayu.namenode.exchange.NodeLoad.Link;
import io.dayu.namenode.exchange.NodeLoad.SharedMeter;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

class NodeLoadTest {
  private static final SharedMeter METER = new SharedMeter(7, 1_000, 20, 10);
  private static final NodeLoad LOAD = new NodeLoad(new Link(1_000, 200), new Link(900, 100), 3, 24, METER);

  @Test
  void change_leavesTheRest() {
    assertEquals(new NodeLoad(new Link(500, 200), new Link(400, 100), 3, 24, METER), LOAD.withCapacity(500, 400));
    assertEquals(new NodeLoad(new Link(1_000, 300), new Link(900, 0), 3, 24, METER), LOAD.withForeground(300, 0));
    assertEquals(new NodeLoad(LOAD.in(), LOAD.out(), 3, 1, METER), LOAD.withOneWriteStream());
    assertEquals(0, new NodeLoad(LOAD.in(), LOAD.out(), 0, 0).withOneWriteStream().writeStreams(), "no volume");
  }

  @Test
  void changeToWhatIsThere_isNone() {
    assertSame(LOAD, LOAD.withCapacity(1_000, 900));
    assertSame(LOAD, LOAD.withForeground(200, 100));
    assertSame(LOAD.out(), LOAD.withForeground(1, 100).out());
  }
}
