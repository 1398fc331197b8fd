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
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DataPlacementTest {
  private static final String FINALIZED = "current/pool/current/finalized/subdir0/";
  private static final String CHECKSUMS = "_1001.meta";
  private static final DataGroups GROUPS = new DataGroups("XOR-2-1-1024k", 2, 1, 1);
  private static final long GROUP = -1024;

  @TempDir
  private Path directory;
  private HostConf conf;

  @BeforeEach
  void layOut() throws IOException {
    conf = new HostConf(new HostLayout(new Topology(6, 3), 1, 1), Map.of(), directory, Map.of());
    for (int node = 0; node < 6; node++) {
      Files.createDirectories(volume(node).resolve(FINALIZED));
    }
  }

  private Path volume(int node) {
    return conf.dataNodeStorage(node).volumes().get(0);
  }

  private Path put(long id, int node, String content) throws IOException {
    Path file = Files.writeString(volume(node).resolve(FINALIZED + "blk_" + id), content);
    Files.writeString(file.resolveSibling("blk_" + id + CHECKSUMS), "checksums");
    return file;
  }

  @Test
  void afterLossOf_namesSourcesAndTargetsOfGroupsAndBlocks() throws IOException {
    put(GROUP, 0, "cells");
    put(GROUP + 1, 1, "cells");
    put(GROUP + 2, 2, "cells");
    put(7, 0, "block");
    put(7, 1, "block");
    put(7, 4, "block");
    put(8, 3, "not lost");
    DataPlacement placement = DataPlacement.read(conf, GROUPS);
    // The group needs all three racks; the block's others are in one rack, so it must go to another one.
    assertEquals(List.of(new NeededTransfer(5, 2, List.of(1, 2), List.of(3)),
        new NeededTransfer(5, 1, List.of(1, 4), List.of(2, 3, 5))), placement.afterLossOf(0));
    assertEquals(List.of(), placement.afterLossOf(5));
  }

  @Test
  void lostBlocks_waitForTheSameIndexOnAnyOtherNode() throws IOException {
    put(GROUP, 0, "cells");
    put(GROUP + 1, 1, "cells");
    LostReplicaFiles lost = new LostReplicaFiles(conf, GROUPS);
    lost.lose(conf.dataNodeStorage(0).volumes());
    put(GROUP + 2, 4, "cells");
    lost.scan();
    assertEquals(List.of(), lost.restored());
    put(GROUP, 5, "cells");
    lost.scan();
    assertTrue(lost.allRestored());
    assertEquals(2, lost.restored().get(0).width());
    assertTrue(lost.restored().get(0).wasAtHighestRisk(), "a group of this policy can lose one");
  }

  @Test
  void compare_findsOtherBytes_andOtherChecksums() throws IOException {
    Map<Path, List<Path>> originals = Map.of(Path.of(FINALIZED + "blk_" + GROUP), List.of(put(GROUP, 0, "cells")),
        Path.of(FINALIZED + "blk_7"), List.of(put(7, 5, "block"), put(7, 0, "block")));
    Files.createLink(volume(1).resolve(FINALIZED + "blk_7"), volume(0).resolve(FINALIZED + "blk_7"));
    put(GROUP, 2, "cells");
    put(7, 2, "block");
    put(9, 2, "of a client");
    List<Path> volumes = List.of(volume(1), volume(2), volume(3));
    assertEquals(new RestoredFilesCheck(1, 1, List.of()), RestoredFilesCheck.compare(volumes, originals));

    Path wrong = put(GROUP, 3, "cellz");
    assertEquals(List.of(wrong.toString()), RestoredFilesCheck.compare(volumes, originals).different());
    put(GROUP, 3, "cells");
    Files.delete(wrong.resolveSibling("blk_" + GROUP + CHECKSUMS));
    RestoredFilesCheck content = RestoredFilesCheck.compare(volumes, originals);
    assertEquals(List.of(wrong.toString()), content.different());
    assertEquals("2 internal blocks and 1 replicas compared, 1 differ", content.text());
  }
}
