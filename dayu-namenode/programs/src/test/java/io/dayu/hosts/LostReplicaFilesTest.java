/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.DataGroups;
import io.dayu.hosts.client.Topology;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LostReplicaFilesTest {
  private static final String FINALIZED = "current/pool/current/finalized/subdir0/";
  private static final int BYTES = 10;

  @TempDir
  private Path directory;
  private HostConf conf;

  @BeforeEach
  void layOut() throws IOException {
    conf = new HostConf(new HostLayout(new Topology(5, 5), 1, 2), Map.of(), directory, Map.of());
    for (int node = 0; node < 5; node++) {
      for (Path volume : conf.dataNodeStorage(node).volumes()) {
        Files.createDirectories(volume.resolve(FINALIZED));
      }
    }
  }

  private void put(int block, int node, int volume) throws IOException {
    Files.write(conf.dataNodeStorage(node).volumes().get(volume).resolve(FINALIZED + "blk_" + block), new byte[BYTES]);
  }

  private LostReplicaFiles withBlockOn(int... nodes) throws IOException {
    for (int node : nodes) {
      put(1, node, node % 2);
    }
    return new LostReplicaFiles(conf, DataGroups.NONE);
  }

  @Test
  void scan_findsTheReplicaOnAnyOtherVolume() throws IOException {
    LostReplicaFiles lost = withBlockOn(0, 1, 2);
    lost.lose(conf.dataNodeStorage(0).volumes());
    lost.scan();
    assertFalse(lost.allRestored());
    put(1, 4, 1);
    lost.scan();
    assertTrue(lost.allRestored());
    assertEquals(BYTES, lost.restored().get(0).bytes());
    assertFalse(lost.restored().get(0).wasAtHighestRisk());
  }

  @Test
  void scan_countsTheOtherVolumeOfTheSameNode() throws IOException {
    LostReplicaFiles lost = withBlockOn(0, 1, 2);
    lost.lose(conf.dataNodeStorage(0).volumes().subList(0, 1));
    put(1, 0, 1);
    lost.scan();
    assertTrue(lost.allRestored());
  }

  @Test
  void lose_asksForTwoReplicas_ofABlockThatWasOnBoth() throws IOException {
    LostReplicaFiles lost = withBlockOn(0, 1, 2);
    lost.lose(conf.dataNodeStorage(0).volumes());
    lost.lose(conf.dataNodeStorage(1).volumes());
    assertEquals(2, lost.count());
    assertEquals(2 * BYTES, lost.bytes());
    put(1, 3, 0);
    lost.scan();
    assertFalse(lost.allRestored());
    assertTrue(lost.restored().get(0).wasAtHighestRisk());
    put(1, 4, 0);
    lost.scan();
    assertTrue(lost.allRestored());
    assertEquals(2, lost.restored().size());
    assertFalse(lost.restored().get(1).wasAtHighestRisk());
  }

  @Test
  void lose_asksAgain_whereTheRestoredReplicaIsLost() throws IOException {
    LostReplicaFiles lost = withBlockOn(0, 1, 2);
    lost.lose(conf.dataNodeStorage(0).volumes());
    put(1, 3, 0);
    lost.lose(conf.dataNodeStorage(3).volumes());
    assertFalse(lost.allRestored());
    assertEquals(1, lost.restored().size());
    put(1, 4, 0);
    lost.scan();
    assertTrue(lost.allRestored());
  }

  @Test
  void lose_disregardsWhatClientsWrote() throws IOException {
    LostReplicaFiles lost = withBlockOn(0, 1, 2);
    put(2, 3, 0);
    lost.lose(conf.dataNodeStorage(3).volumes());
    assertTrue(lost.allRestored());
    assertEquals(0, lost.count());
  }
}
