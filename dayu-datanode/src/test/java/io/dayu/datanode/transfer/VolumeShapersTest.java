/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.junit.jupiter.api.Test;

import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;

class VolumeShapersTest {
  @Test
  void volumeThatCannotBeTold_doesNotReachTheReader() {
    VolumeShapers shapers = new VolumeShapers(block -> {
      throw new IllegalArgumentException("URI is not hierarchical");
    });
    assertEquals(Optional.empty(), shapers.of(new ExtendedBlock("BP-1", 1, 1, 1)));
  }
}
