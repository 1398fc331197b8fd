/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.Topology;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class HostConfTest {
  @TempDir
  private Path directory;

  private Configuration written(HostLayout layout, String host) throws IOException {
    HostConf conf = new HostConf(layout, Map.of(host, "10.0.0.1"), directory, Map.of());
    Configuration site = new Configuration(false);
    site.addResource(new org.apache.hadoop.fs.Path(conf.write(host).resolve("hdfs-site.xml").toString()));
    assertTrue(Files.exists(conf.excludeFile()));
    return site;
  }

  @Test
  void write_namesOneNameNodeAndOneVolume() throws IOException {
    Configuration site = written(new HostLayout(new Topology(4, 2), 1, 1), "d1");
    assertEquals("hdfs://nn:8020", site.get("fs.defaultFS"));
    assertNull(site.get("dfs.nameservices"));
    assertEquals(directory.resolve("d1").toUri().toString(), site.get("dfs.datanode.data.dir"));
  }

  @Test
  void write_namesEachVolume() throws IOException {
    Configuration site = written(new HostLayout(new Topology(4, 2), 1, 2), "d1");
    assertEquals(directory.resolve("d1/volume0").toUri() + "," + directory.resolve("d1/volume1").toUri(),
        site.get("dfs.datanode.data.dir"));
  }

  @Test
  void write_tellsTheStandbyWhoItIs() throws IOException {
    Configuration site = written(new HostLayout(new Topology(4, 2), 2, 1), Topology.STANDBY);
    assertEquals("hdfs://cluster", site.get("fs.defaultFS"));
    assertEquals("nn,nn2", site.get("dfs.ha.namenodes.cluster"));
    assertEquals("nn2", site.get("dfs.ha.namenode.id"));
    assertEquals("nn2:8020", site.get("dfs.namenode.rpc-address.cluster.nn2"));
    assertEquals(directory.resolve("nn2").toUri().toString(), site.get("dfs.namenode.name.dir"));
    assertTrue(site.get("dfs.namenode.shared.edits.dir").startsWith("file:"));
  }
}
