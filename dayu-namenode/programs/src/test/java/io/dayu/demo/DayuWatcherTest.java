/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class DayuWatcherTest {
  @Test
  void others_areNamedOnlyIfThereAreSome() {
    assertEquals("", DayuWatcher.others(334, 334));
    assertEquals("; 6 of them of blocks that clients have deleted since, or were writing when the DataNode died",
        DayuWatcher.others(340, 334));
  }
}
