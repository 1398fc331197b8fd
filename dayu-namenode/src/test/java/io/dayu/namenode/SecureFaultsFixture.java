/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.Kerberos;
import org.apache.hadoop.crypto.CipherSuite;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import java.nio.file.Path;

/**
 * Faults in mid-recovery on a cluster of two NameNodes with Kerberos, service authorization, encrypted RPC, block
 * tokens and data transfers that are authenticated by SASL and encrypted, by AES: HDFS's default, 3DES, takes minutes
 * of CPU for these. {@code SecureClusterIT} and {@code SecuredTransferIT} have the default.
 */
abstract class SecureFaultsFixture extends FaultsFixture {
  private static Kerberos kerberos;

  @BeforeAll
  static void startKdc() throws Exception {
    Path directory = Path.of(System.getProperty("test.build.data", System.getProperty("java.io.tmpdir")));
    kerberos = new Kerberos(directory, "hdfs=hdfs");
    kerberos.login(Kerberos.DAEMON);
  }

  @AfterAll
  static void stopKdc() throws Exception {
    kerberos.close();
  }

  void start(ClusterBuilder builder) throws Exception {
    kerberos.settings().forEach(builder::conf);
    kerberos.webSettings().forEach(builder::conf);
    cluster = builder.highAvailability().conf("hadoop.security.authorization", "true")
        .conf("hadoop.rpc.protection", "privacy").conf("dfs.data.transfer.protection", "privacy")
        .conf("dfs.encrypt.data.transfer", "true")
        .conf(HdfsClientConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_CIPHER_SUITES_KEY, CipherSuite.AES_CTR_NOPADDING.getName())
        .conf("hadoop.user.group.static.mapping.overrides", "hdfs=hdfs").start();
    StatusProbe.awaitDayu(NODES);
  }
}
