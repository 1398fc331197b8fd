/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.apache.hadoop.util.ServicePlugin;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The entry class on a Java that is too old for everything else of ours. */
final class DayuNameNodePluginTest {
  private static final int JAVA_8 = 52;

  /** Loads classes of ours as Java 8 does: it refuses those that are compiled for a newer Java. */
  private static final class Java8Loader extends ClassLoader {
    Java8Loader() {
      super(DayuNameNodePluginTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("io.dayu.")) {
        return super.loadClass(name, resolve);
      }
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : define(name);
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        if (majorVersion(bytes) > JAVA_8) {
          throw new UnsupportedClassVersionError(
              name + " has been compiled by a more recent version of the Java Runtime");
        }
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  private static int majorVersion(byte[] classFile) {
    return (classFile[6] & 0xff) << 8 | classFile[7] & 0xff;
  }

  @Test
  void entryClass_isCompiledForJava8() throws IOException {
    try (DataInputStream in =
        new DataInputStream(DayuNameNodePlugin.class.getResourceAsStream("DayuNameNodePlugin.class"))) {
      assertEquals(JAVA_8, majorVersion(in.readAllBytes()));
    }
  }

  @Test
  void oldJava_isDeclinedInOneLine() throws Exception {
    ServicePlugin plugin = new Java8Loader().loadClass(DayuNameNodePlugin.class.getName())
        .asSubclass(ServicePlugin.class).getDeclaredConstructor().newInstance();
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(DayuNameNodePlugin.class));
    plugin.start(new Object());
    plugin.stop();
    plugin.close();
    log.stopCapturing();
    assertEquals(1, log.getOutput().lines().count(), log.getOutput());
    assertTrue(log.getOutput().contains("it needs Java 17 or later"), log.getOutput());
  }
}
