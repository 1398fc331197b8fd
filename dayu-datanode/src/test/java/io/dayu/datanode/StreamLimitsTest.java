/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Limits of streams that admins have changed on NameNodes. */
class StreamLimitsTest {
  private Settings settings;
  private StreamLimits limits;

  @BeforeEach
  void read() throws BadSettingException {
    Configuration conf = new Configuration(false);
    conf.set("dayu.datanode.volume.max-streams", "DISK=5,OTHER=50");
    settings = Settings.read(conf);
    limits = new StreamLimits(settings);
  }

  private void assertStreams(long disk, long ssd) {
    assertEquals(disk, settings.forStorageType(Setting.VOLUME_MAX_STREAMS, StorageType.DISK));
    assertEquals(ssd, settings.forStorageType(Setting.VOLUME_MAX_STREAMS, StorageType.SSD));
  }

  @Test
  void valueOfTheNameNode_appliesUntilItIsSetBack() {
    limits.set("pool", Optional.empty());
    assertStreams(5, 50);
    limits.set("pool", Optional.of("DISK=2,OTHER=99"));
    assertStreams(2, 99);
    limits.set("pool", Optional.empty());
    assertStreams(5, 50);
  }

  @Test
  void ofSeveralBlockPools_theSmallestNumbersApply() {
    limits.set("a", Optional.of("DISK=2,OTHER=99"));
    limits.set("b", Optional.of("OTHER=8"));
    assertStreams(2, 8);
    limits.set("a", Optional.empty());
    assertStreams(8, 8);
    limits.set("b", Optional.empty());
    assertStreams(5, 50);
  }

  @Test
  void valueThatIsNotValidHere_changesNothing() {
    limits.set("pool", Optional.of("TAPE=1"));
    assertStreams(5, 50);
    limits.set("another", Optional.of("OTHER=7"));
    assertStreams(7, 7);
    limits.set("another", Optional.of("OTHER=6"));
    assertStreams(6, 6);
    limits.set("another", Optional.of("TAPE=1"));
    assertStreams(5, 50);
  }
}
