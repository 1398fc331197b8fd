/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RefreshRegistry;
import org.apache.hadoop.ipc.proto.GenericRefreshProtocolProtos.GenericRefreshProtocolService;
import org.apache.hadoop.ipc.protocolPB.GenericRefreshProtocolPB;
import org.apache.hadoop.ipc.protocolPB.GenericRefreshProtocolServerSideTranslatorPB;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code hdfs dayu} asks a NameNode that does not have the plugin: nobody has registered there as {@code dayu}. */
class NameNodeWithoutDayuTest {
  private RPC.Server server;

  @BeforeEach
  void start() throws Exception {
    Configuration conf = new Configuration(false);
    RPC.setProtocolEngine(conf, GenericRefreshProtocolPB.class, ProtobufRpcEngine2.class);
    RefreshRegistry registry = new RefreshRegistry();
    server = new RPC.Builder(conf).setProtocol(GenericRefreshProtocolPB.class)
        .setInstance(GenericRefreshProtocolService
            .newReflectiveBlockingService(new GenericRefreshProtocolServerSideTranslatorPB(registry::dispatch)))
        .setBindAddress("127.0.0.1").setPort(0).setNumHandlers(1).build();
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"-status", "-nodes", "-plan", "-dryRun", "-explain blk_1", "-pause", "-stock", "-shadow", "-resume",
          "-set dayu.recovery.max-utilization=0.5", "-watch"})
  void command_endsWith5_inOneLineThatSaysWhatToDo(String line) throws Exception {
    Configuration conf = new Configuration(false);
    FileSystem.setDefaultUri(conf, URI.create("hdfs://127.0.0.1:" + server.getPort()));
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    assertEquals(5, new DayuAdmin(conf, System.out, new PrintStream(err, true)).launch(line.split(" ")));
    String said = err.toString(StandardCharsets.UTF_8);
    assertTrue(said.contains(":" + server.getPort() + ": Dayu is not active on this NameNode"), said);
    assertTrue(said.contains("dfs.namenode.plugins does not name Dayu"), said);
    assertEquals(1, said.lines().count(), said);
  }
}
