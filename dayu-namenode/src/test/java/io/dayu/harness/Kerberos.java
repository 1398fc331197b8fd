/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.Groups;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authentication.util.KerberosName;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

/**
 * A Kerberos server for a cluster with security on, with one keytab for all principals. Until it is closed the whole
 * JVM is secure, so one test at a time has it. The daemons share one principal, since a JVM has one login user. For one
 * thread.
 */
public final class Kerberos implements AutoCloseable {
  /** Of NameNode and DataNodes. */
  public static final String DAEMON = "hdfs/localhost";

  private final Path directory;
  private final MiniKdc kdc;
  private final File keytab;

  /**
   * @param users principals besides the daemons'
   * @param groups the groups of the users, by short name, as {@code user=group;user=group}
   */
  public Kerberos(Path parent, String groups, String... users) throws Exception {
    Files.createDirectories(parent);
    directory = Files.createTempDirectory(parent.toAbsolutePath(), "kdc-");
    Properties settings = MiniKdc.createConf();
    settings.setProperty(MiniKdc.KDC_BIND_ADDRESS, "localhost");
    kdc = new MiniKdc(settings, directory.toFile());
    kdc.start();
    keytab = directory.resolve("keytab").toFile();
    String[] principals = new String[users.length + 2];
    principals[0] = DAEMON;
    principals[1] = "HTTP/localhost";
    System.arraycopy(users, 0, principals, 2, users.length);
    kdc.createPrincipal(keytab, principals);
    Configuration conf = new Configuration();
    conf.set("hadoop.security.authentication", "kerberos");
    conf.set("hadoop.user.group.static.mapping.overrides", groups);
    KerberosName.resetDefaultRealm();
    UserGroupInformation.reset();
    // The groups are of the process, and tests before this one may have loaded them.
    Groups.getUserToGroupsMappingServiceWithLoadedConfiguration(conf);
    UserGroupInformation.setConfiguration(conf);
  }

  /** The full name of a principal. */
  public String principal(String name) {
    return name + "@" + kdc.getRealm();
  }

  /** What daemons need to be told so that they log in and ask callers who they are. */
  public Map<String, String> settings() {
    return Map.ofEntries(
        Map.entry("hadoop.security.authentication", "kerberos"),
        Map.entry("dfs.namenode.kerberos.principal", principal(DAEMON)),
        Map.entry("dfs.namenode.keytab.file", keytab.getPath()),
        Map.entry("dfs.datanode.kerberos.principal", principal(DAEMON)),
        Map.entry("dfs.datanode.keytab.file", keytab.getPath()),
        Map.entry("dfs.web.authentication.kerberos.principal", principal("HTTP/localhost")),
        Map.entry("dfs.web.authentication.kerberos.keytab", keytab.getPath()),
        Map.entry("dfs.block.access.token.enable", "true"),
        // A test has no privileged ports, and no certificates for HTTPS.
        Map.entry("ignore.secure.ports.for.testing", "true"));
  }

  /** Has the pages of the daemons, too, ask who calls. */
  public Map<String, String> webSettings() throws IOException {
    Path secret = Files.writeString(directory.resolve("http-secret"), "secret");
    return Map.of("hadoop.http.filter.initializers", "org.apache.hadoop.security.AuthenticationFilterInitializer",
        "hadoop.http.authentication.type", "kerberos",
        "hadoop.http.authentication.kerberos.principal", principal("HTTP/localhost"),
        "hadoop.http.authentication.kerberos.keytab", keytab.getPath(),
        "hadoop.http.authentication.signature.secret.file", secret.toString());
  }

  public UserGroupInformation login(String name) throws IOException {
    return UserGroupInformation.loginUserFromKeytabAndReturnUGI(principal(name), keytab.getPath());
  }

  @Override
  public void close() throws IOException {
    kdc.stop();
    System.clearProperty(MiniKdc.JAVA_SECURITY_KRB5_CONF);
    UserGroupInformation.reset();
    Groups.getUserToGroupsMappingServiceWithLoadedConfiguration(new Configuration());
    UserGroupInformation.setConfiguration(new Configuration());
    TestDirectory.delete(directory);
  }
}
