/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.admin.AdminClient;
import io.dayu.admin.AdminException;
import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;
import org.apache.hadoop.conf.Configuration;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** Runs {@code hdfs dayu} with two NameNodes, nn1:8020 and nn2:8020, whose answers are given. */
abstract class DayuAdminFixture {
  static final ObjectMapper JSON = new ObjectMapper();
  static final String STANDBY = "this NameNode is not active, or has not left safe mode since its start";
  static final String LOOK_AT = "; look at hdfs haadmin -getAllServiceState and hdfs dfsadmin -safemode get";

  final AdminClient client = mock(AdminClient.class);
  final ByteArrayOutputStream out = new ByteArrayOutputStream();
  final ByteArrayOutputStream err = new ByteArrayOutputStream();

  static Configuration conf() {
    Configuration conf = new Configuration(false);
    conf.set("fs.defaultFS", "hdfs://ns1");
    conf.set("dfs.nameservices", "ns1");
    conf.set("dfs.ha.namenodes.ns1", "nn1,nn2");
    conf.set("dfs.namenode.rpc-address.ns1.nn1", "nn1:8020");
    conf.set("dfs.namenode.rpc-address.ns1.nn2", "nn2:8020");
    conf.set("dfs.client.failover.proxy.provider.ns1",
        "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider");
    return conf;
  }

  static InetSocketAddress at(String host) {
    return argThat(address -> address != null && address.getHostString().equals(host));
  }

  final void answer(String host, Command command, String json) throws Exception {
    JsonNode answer = JSON.readTree(json.replace('\'', '"'));
    when(client.call(at(host), eq(command), any())).thenReturn(answer);
  }

  final void fail(String host, Command command, ExitCode code, String message) throws Exception {
    when(client.call(at(host), eq(command), any())).thenThrow(new AdminException(code, message));
  }

  final int run(String... args) throws Exception {
    out.reset();
    err.reset();
    return new DayuAdmin(conf(), new PrintStream(out, true), new PrintStream(err, true), conf -> client).launch(args);
  }

  final String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  final String err() {
    return err.toString(StandardCharsets.UTF_8);
  }
}
