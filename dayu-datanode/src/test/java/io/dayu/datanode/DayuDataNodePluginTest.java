/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.util.ServicePlugin;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

class DayuDataNodePluginTest {
  private static final int JAVA_8_CLASS_FILE = 52;
  private static final String VERSION = "java.specification.version";

  /** A meter's class that cannot be initialized. */
  public static final class Unlinked implements BandwidthMeter {
    private static final Counters NONE = new Counters(0, Long.parseLong("no number"));

    public Unlinked(Configuration conf) {
    }

    @Override
    public Counters read() {
      return NONE;
    }

    @Override
    public OptionalLong capacityBytesPerSec() {
      return OptionalLong.empty();
    }

    @Override
    public double countedPerBlockByte() {
      return 1;
    }

    @Override
    public String describe() {
      return "unlinked";
    }
  }

  private final List<LoggingEvent> events = new ArrayList<>();
  private final AppenderSkeleton appender = new AppenderSkeleton() {
    @Override
    protected void append(LoggingEvent event) {
      events.add(event);
    }

    @Override
    public void close() {
    }

    @Override
    public boolean requiresLayout() {
      return false;
    }
  };
  private final String realVersion = System.getProperty(VERSION);

  @BeforeEach
  void watchTheLog() {
    Logger.getLogger(DayuDataNodePlugin.class).addAppender(appender);
  }

  @AfterEach
  void restore() {
    Logger.getLogger(DayuDataNodePlugin.class).removeAppender(appender);
    System.setProperty(VERSION, realVersion);
  }

  private static byte[] classFile(String name) throws IOException {
    try (InputStream in =
        DayuDataNodePluginTest.class.getClassLoader().getResourceAsStream(name.replace('.', '/') + ".class")) {
      return in.readAllBytes();
    }
  }

  private static int majorVersion(byte[] classFile) throws IOException {
    try (DataInputStream in = new DataInputStream(new java.io.ByteArrayInputStream(classFile))) {
      in.skipBytes(6);
      return in.readUnsignedShort();
    }
  }

  /** Loads our classes itself and none whose class file is newer than allowed, as an old Java would. */
  private static final class OwnLoader extends ClassLoader {
    private final int newestMajor;

    OwnLoader(int newestMajor) {
      super(DayuDataNodePluginTest.class.getClassLoader());
      this.newestMajor = newestMajor;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("io.dayu.")
          && !name.matches("org\\.apache\\.hadoop\\.hdfs\\.server\\.datanode\\.DataNode(Access|Internals)(\\$.*)?")) {
        return super.loadClass(name, resolve);
      }
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      try {
        byte[] file = classFile(name);
        if (majorVersion(file) > newestMajor) {
          throw new UnsupportedClassVersionError(name);
        }
        return defineClass(name, file, 0, file.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  @Test
  void entryClass_isJava8Bytecode() throws IOException {
    assertEquals(JAVA_8_CLASS_FILE, majorVersion(classFile("io.dayu.datanode.DayuDataNodePlugin")));
    assertTrue(majorVersion(classFile("io.dayu.datanode.DataNodeRuntime")) > JAVA_8_CLASS_FILE);
  }

  @Test
  void oldJava_isDeclinedWithOneLine() throws Exception {
    ClassLoader oldJava = new OwnLoader(JAVA_8_CLASS_FILE);
    assertThrows(UnsupportedClassVersionError.class, () -> oldJava.loadClass("io.dayu.datanode.DataNodeRuntime"));
    for (String version : new String[] {"1.8", "11", "16"}) {
      events.clear();
      System.setProperty(VERSION, version);
      ServicePlugin plugin = (ServicePlugin) oldJava.loadClass("io.dayu.datanode.DayuDataNodePlugin")
          .getDeclaredConstructor().newInstance();
      plugin.start(new Object());
      plugin.stop();
      plugin.close();
      assertEquals(1, events.size());
      assertEquals(Level.WARN, events.get(0).getLevel());
      assertTrue(events.get(0).getRenderedMessage().contains("needs Java 17 or later, this is Java " + version));
    }
  }

  @Test
  void runtimeThatCannotLoad_isNoErrorOfTheDataNode() throws Exception {
    ServicePlugin plugin = (ServicePlugin) new OwnLoader(JAVA_8_CLASS_FILE)
        .loadClass("io.dayu.datanode.DayuDataNodePlugin").getDeclaredConstructor().newInstance();
    plugin.start(new Object());
    plugin.stop();
    assertEquals(1, events.size());
    assertTrue(events.get(0).getRenderedMessage().contains("NOT active"));
  }

  @Test
  void hadoopWhoseInternalsCannotBeReached_isDeclinedWithOneLine() throws Exception {
    // In another class loader our access class is in another package, as far as Java is concerned: nothing
    // package-private is there.
    ServicePlugin plugin = (ServicePlugin) new OwnLoader(Integer.MAX_VALUE)
        .loadClass("io.dayu.datanode.DayuDataNodePlugin").getDeclaredConstructor().newInstance();
    plugin.start(mock(DataNode.class));
    plugin.stop();
    assertEquals(1, events.size());
    assertNull(events.get(0).getThrowableInformation());
    assertTrue(events.get(0).getRenderedMessage().contains("this Hadoop is not one that it knows"));
    assertTrue(events.get(0).getRenderedMessage().contains("BPOfferService"), events.get(0).getRenderedMessage());
  }

  @Test
  void badSetting_isDeclinedWithOneLineThatNamesIt() {
    Configuration conf = new Configuration(false);
    conf.set("dayu.datanode.meter", "snmp");
    DataNode datanode = mock(DataNode.class);
    when(datanode.getConf()).thenReturn(conf);
    DayuDataNodePlugin plugin = new DayuDataNodePlugin();
    plugin.start(datanode);
    plugin.stop();
    assertEquals(1, events.size());
    assertNull(events.get(0).getThrowableInformation());
    for (String part : new String[] {"NOT active", "dayu.datanode.meter", "'snmp'", "nic, datanode, fixed"}) {
      assertTrue(events.get(0).getRenderedMessage().contains(part), events.get(0).getRenderedMessage());
    }
  }

  @ParameterizedTest
  @CsvSource({"com.acme.Missing, ClassNotFoundException", "java.lang.String, ClassCastException",
      "io.dayu.datanode.FixedMeter, NoSuchMethodException",
      "io.dayu.datanode.DayuDataNodePluginTest$Unlinked, ExceptionInInitializerError"})
  void meterClassThatCannotBeUsed_isDeclinedWithOneLineThatNamesIt(String className, String why) {
    Configuration conf = new Configuration(false);
    conf.set("dayu.datanode.meter", className);
    DataNode datanode = mock(DataNode.class);
    when(datanode.getConf()).thenReturn(conf);
    DayuDataNodePlugin plugin = new DayuDataNodePlugin();
    plugin.start(datanode);
    plugin.stop();
    assertEquals(1, events.size());
    assertNull(events.get(0).getThrowableInformation());
    for (String part : new String[] {"NOT active", "dayu.datanode.meter", "'" + className + "'", "BandwidthMeter",
        why}) {
      assertTrue(events.get(0).getRenderedMessage().contains(part), events.get(0).getRenderedMessage());
    }
  }

  @Test
  void serviceThatIsNoDataNode_isNoError() {
    DayuDataNodePlugin plugin = new DayuDataNodePlugin();
    plugin.start("not a DataNode");
    plugin.stop();
    assertEquals(1, events.size());
    assertTrue(events.get(0).getRenderedMessage().contains("NOT active"));
  }
}
