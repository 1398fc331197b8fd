/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.check;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.util.ServicePlugin;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code hdfs dayu -check} on a host that has the DataNode's jar only. */
class InstallationCheckTest {
  @TempDir
  Path hadoopConf;

  private final Configuration conf = new HdfsConfiguration(true);
  private final Map<String, String> environment = new HashMap<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @BeforeEach
  void installation_isFine() throws Exception {
    conf.set("fs.defaultFS", "hdfs://127.0.0.1:8020");
    conf.set("dayu.datanode.bandwidthPerSec", "125m");
    environment.put("HADOOP_CONF_DIR", hadoopConf.toString());
    Files.createDirectory(hadoopConf.resolve("shellprofile.d"));
    Files.writeString(hadoopConf.resolve("shellprofile.d/dayu.sh"), "hadoop_add_profile dayu\n");
  }

  private int check(int java, String... words) {
    return new InstallationCheck(conf, environment, getClass().getClassLoader(), java, new PrintStream(out, true),
        new PrintStream(err, true)).check(List.of(words));
  }

  private List<String> lines() {
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  /** The check finds nothing but this, in one line, and its exit code is 1. */
  private void assertOnlyFault(String expected) {
    assertEquals(1, check(17, "datanode"));
    assertEquals(List.of(expected), lines());
  }

  @Test
  void goodInstallation_isOk_andSaysWhatItIs() {
    assertEquals(0, check(21, "datanode"), () -> lines().toString());
    assertTrue(lines().get(0).matches("OK: Dayu \\S+, dayu-datanode, Hadoop 3\\.\\S+, Java 21"), lines()::toString);
    assertEquals(1, lines().size());
  }

  @Test
  void jarOfTheOtherDaemon_mayBeMissing() {
    assertEquals(0, check(17));
    assertEquals("note: no jar dayu-namenode is on the class path, so nothing was checked for a NameNode",
        lines().get(0));
    assertTrue(lines().get(1).startsWith("OK: "), lines()::toString);
  }

  @Test
  void jarOfTheDaemonThatIsAskedFor_mayNot() {
    assertEquals(1, check(17, "namenode"));
    assertEquals("no jar of Dayu for these daemons is on the class path", lines().get(0));
  }

  @Test
  void oldJava_isAFault_andOneThatNobodyTriedANote() {
    assertEquals(1, check(11, "datanode"));
    assertEquals(List.of("daemons with Dayu need Java 17 or later, this is Java 11; set JAVA_HOME in hadoop-env.sh"),
        lines());
    out.reset();
    assertEquals(0, check(19, "datanode"));
    assertEquals("note: Dayu was tried with Java 17, 21 and 25, this is Java 19", lines().get(0));
  }

  @Test
  void badSettings_haveALineEach() {
    conf.set("dayu.recovery.max-utilisation", "0.5");
    conf.set("dayu.recovery.max-utilization", "2");
    conf.set("dayu.transfer.lease", "soon");
    assertEquals(1, check(17, "datanode"));
    assertEquals(3, lines().size(), lines()::toString);
    assertTrue(lines().get(0).startsWith("Dayu does not know the setting dayu.recovery.max-utilisation")
        && lines().get(0).endsWith("dayu.recovery.max-utilization"), lines().get(0));
    assertTrue(lines().get(1).startsWith("setting dayu.recovery.max-utilization = '2' is not valid"), lines().get(1));
    assertTrue(lines().get(2).startsWith("setting dayu.transfer.lease = 'soon' is not valid"), lines().get(2));
  }

  @Test
  void keyOfTheOtherDaemon_isAFaultWhereTheSettingsAreForOneOnly() {
    conf.set("dayu.timeslot.interval", "3s");
    assertEquals(0, check(17, "datanode"), () -> lines().toString());
    out.reset();
    conf.set("dfs.datanode.plugins", SettingsCheck.DATANODE_PLUGIN);
    assertOnlyFault("setting dayu.timeslot.interval is of the NameNode, but these settings name the plugin of the "
        + "DataNode only, which does not read it");
  }

  /** A plugin of others. */
  public static final class OthersPlugin implements ServicePlugin {
    @Override
    public void start(Object service) {
    }

    @Override
    public void stop() {
    }

    @Override
    public void close() {
    }
  }

  @Test
  void plugins_ofOthersAreNoted_andThoseThatCannotBeLoadedAreFaults() {
    String others = OthersPlugin.class.getName();
    conf.set("dfs.datanode.plugins", others + ", com.example.Gone," + SettingsCheck.NAMENODE_PLUGIN);
    assertEquals(1, check(17, "datanode"));
    assertEquals(List.of(
        "setting dfs.datanode.plugins names " + SettingsCheck.NAMENODE_PLUGIN
            + ", which is for the other kind of daemon",
        "setting dfs.datanode.plugins names com.example.Gone, which is not on the class path of hdfs dayu; if it is "
            + "not on the daemon's either, the daemon does not start",
        "note: dfs.datanode.plugins has a plugin of others, which Dayu was not tried with: " + others), lines());
  }

  /** Whatever daemon is asked for: a list with Dayu's plugin misspelt is no list without Dayu. */
  @ParameterizedTest
  @ValueSource(strings = {"", "namenode"})
  void plugin_ofOursThatIsMisspelt_isAFaultThatNamesTheRightOne(String word) {
    conf.set("dfs.namenode.plugins", "io.dayu.namenode.DayuPlugn");
    conf.set("dfs.datanode.plugins", SettingsCheck.DATANODE_PLUGIN);
    assertEquals(1, word.isEmpty() ? check(17) : check(17, word));
    String expected = "setting dfs.namenode.plugins = 'io.dayu.namenode.DayuPlugn' (programmatically) is not valid: "
        + "the class io.dayu.namenode.DayuPlugn cannot be found, and the NameNode does not start with it; Dayu's "
        + "plugin for a NameNode is io.dayu.namenode.DayuNameNodePlugin";
    assertTrue(lines().contains(expected), lines()::toString);
  }

  @Test
  void plugin_thatIsMisspelt_isNamedWithTheFileThatHasIt() throws Exception {
    Path file = hadoopConf.resolve("hdfs-site.xml");
    Files.writeString(file, "<configuration><property><name>dfs.datanode.plugins</name><value>"
        + "io.dayu.datanode.dayudatanodeplugin</value></property></configuration>");
    conf.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
    assertOnlyFault("setting dfs.datanode.plugins = 'io.dayu.datanode.dayudatanodeplugin' (file:" + file
        + ") is not valid: the class io.dayu.datanode.dayudatanodeplugin cannot be found, and the DataNode does not "
        + "start with it; Dayu's plugin for a DataNode is " + SettingsCheck.DATANODE_PLUGIN);
  }

  /** The NameNode's list is looked at though it does not have the NameNode's plugin. */
  @Test
  void plugin_ofTheOtherDaemon_isFoundInEitherList() {
    conf.set("dfs.namenode.plugins", SettingsCheck.DATANODE_PLUGIN);
    conf.set("dfs.datanode.plugins", SettingsCheck.DATANODE_PLUGIN);
    assertEquals(1, check(17));
    assertEquals("setting dfs.namenode.plugins names " + SettingsCheck.DATANODE_PLUGIN
        + ", which is for the other kind of daemon", lines().get(0));
  }

  @Test
  void classThatIsNoPlugin_isAFault_sinceTheDaemonDoesNotStart() {
    conf.set("dfs.datanode.plugins", SettingsCheck.DATANODE_PLUGIN + ",java.lang.Object");
    assertOnlyFault("setting dfs.datanode.plugins names java.lang.Object, which is no "
        + "org.apache.hadoop.util.ServicePlugin: the daemon does not start with it");
  }

  @Test
  void pluginThatIsNamedTwice_isAFault() {
    conf.set("dfs.datanode.plugins", SettingsCheck.DATANODE_PLUGIN + ",\n  " + SettingsCheck.DATANODE_PLUGIN);
    assertOnlyFault("setting dfs.datanode.plugins names " + SettingsCheck.DATANODE_PLUGIN + " twice");
  }

  @Test
  void listOfPlugins_withAnEmptyName_isAFault() {
    conf.set("dfs.datanode.plugins", SettingsCheck.DATANODE_PLUGIN + ",," + OthersPlugin.class.getName());
    assertEquals(1, check(17, "datanode"));
    assertEquals("setting dfs.datanode.plugins has an empty name between two commas: the daemon does not start with it",
        lines().get(0));
  }

  @Test
  void ports_thatTwoAddressesShare_areAFault() {
    conf.set("dfs.datanode.address", "0.0.0.0:9866");
    conf.set("dfs.datanode.http.address", "0.0.0.0:9866");
    assertOnlyFault("settings dfs.datanode.address and dfs.datanode.http.address have the same port, 9866");
  }

  @Test
  void address_thatIsNone_isAFault() {
    conf.set("dfs.datanode.ipc.address", "here:there");
    assertOnlyFault("setting dfs.datanode.ipc.address = 'here:there' is not valid: expected host:port");
  }

  @Test
  void settingsOfNoCluster_areAFault() {
    conf.set("fs.defaultFS", "file:///");
    assertEquals(1, check(17, "datanode"));
    assertTrue(lines().get(0).startsWith("these settings name no NameNode that agents could call ("),
        lines()::toString);
    assertTrue(lines().get(0).endsWith("; is HADOOP_CONF_DIR the cluster's?"), lines()::toString);
  }

  @Test
  void shellProfile_mustBeThere_once() throws Exception {
    Files.copy(hadoopConf.resolve("shellprofile.d/dayu.sh"), hadoopConf.resolve("shellprofile.d/old.sh"));
    assertEquals(1, check(17, "datanode"));
    assertTrue(lines().get(0).startsWith("several shell profiles of Dayu are in "), lines()::toString);
    out.reset();
    Files.delete(hadoopConf.resolve("shellprofile.d/old.sh"));
    Files.delete(hadoopConf.resolve("shellprofile.d/dayu.sh"));
    assertEquals(1, check(17, "datanode"));
    assertTrue(lines().get(0).startsWith("no shell profile of Dayu is in "), lines()::toString);
  }

  @Test
  void otherRelease_inTheEnvironment_isAFault() {
    environment.put("DAYU_HOME", hadoopConf.toString());
    assertEquals(1, check(17, "datanode"));
    assertTrue(lines().get(0).startsWith("DAYU_HOME is " + hadoopConf + ", but the class path has the jar of "),
        lines()::toString);
  }

  @Test
  void trafficClass_needsIpv4Sockets() {
    conf.set("dayu.transfer.traffic-class", "lower-effort");
    String before = System.getProperty("java.net.preferIPv4Stack");
    System.clearProperty("java.net.preferIPv4Stack");
    try {
      assertEquals(1, check(17, "datanode"));
      assertTrue(lines().get(0).startsWith("Dayu cannot mark all of its traffic as lower effort: Java's "
          + "java.net.preferIPv4Stack is not set"), lines()::toString);
    } finally {
      if (before != null) {
        System.setProperty("java.net.preferIPv4Stack", before);
      }
    }
  }

  @Test
  void networkInterface_thatIsNotHere_isAFault() {
    conf.set("dayu.datanode.meter.interfaces", "nosuch0");
    assertEquals(1, check(17, "datanode"));
    assertEquals("setting dayu.datanode.meter.interfaces names nosuch0, but this host has no such network interface",
        lines().get(0));
  }

  /** Loads the DataNode's classes anew, one of them cut off, as from a jar that was not copied whole. */
  private static final class TruncatedClassLoader extends ClassLoader {
    private final String truncated;

    TruncatedClassLoader(String truncated) {
      super(InstallationCheckTest.class.getClassLoader());
      this.truncated = truncated;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("io.dayu.datanode.") || findLoadedClass(name) != null) {
        return super.loadClass(name, resolve);
      }
      try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, name.equals(truncated) ? bytes.length / 2 : bytes.length,
            InstallationCheck.class.getProtectionDomain());
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"io.dayu.datanode.DataNodeCheck", "io.dayu.datanode.transfer.LowerEffort"})
  void classThatIsBroken_hidesNothingThatOthersFind(String broken) {
    conf.set("dayu.of.nobody", "1");
    conf.set("dfs.datanode.ipc.address", "here:there");
    assertEquals(1, new InstallationCheck(conf, environment, new TruncatedClassLoader(broken), 17,
        new PrintStream(out, true), new PrintStream(err, true)).check(List.of("datanode")));
    assertEquals(3, lines().size(), lines()::toString);
    assertTrue(
        lines().get(0).startsWith("the check of the jar dayu-datanode stopped: ClassFormatError: Truncated class "
            + "file, in io.dayu."),
        lines().get(0));
    assertTrue(lines().get(1).startsWith("Dayu does not know the setting dayu.of.nobody "), lines().get(1));
    assertTrue(lines().get(2).startsWith("setting dfs.datanode.ipc.address = "), lines().get(2));
  }

  /** Java passes over a jar that it cannot open. */
  @Test
  void jarThatIsNotWhole_isNamed() throws Exception {
    Path jar = Files.writeString(hadoopConf.resolve("dayu-namenode-0.1.0.jar"), "PK");
    environment.put("CLASSPATH", "/etc/hadoop:" + jar + ":/");
    assertEquals(1, check(17, "namenode"));
    assertTrue(lines().get(0).startsWith("the jar " + jar + " cannot be opened (")
        && lines().get(0).endsWith("); compare it with SHA256SUMS of the release"), lines()::toString);
  }

  @Test
  void otherWords_areUsage() {
    assertEquals(2, check(17, "journalnode"));
    assertEquals("dayu: -check takes namenode, datanode or nothing, but there is 'journalnode'\n",
        err.toString(StandardCharsets.UTF_8));
    assertEquals(2, new InstallationCheck(conf, new PrintStream(out), new PrintStream(err)).run(new String[0]));
  }
}
