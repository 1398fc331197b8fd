/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code hdfs dayu} on a Java that is too old for everything else of ours. */
class DayuCommandTest {
  private static final int JAVA_8 = 52;

  /** Loads classes of ours as Java 8 does: it refuses those that are compiled for a newer Java. */
  private static final class Java8Loader extends ClassLoader {
    Java8Loader() {
      super(DayuCommandTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      return name.startsWith("io.dayu.") ? define(name) : super.loadClass(name, resolve);
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        if (((bytes[6] & 0xff) << 8 | bytes[7] & 0xff) > JAVA_8) {
          throw new UnsupportedClassVersionError(name + " has been compiled by a more recent version");
        }
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  @Test
  void oldJava_isDeclinedInOneLine() throws Exception {
    Method start = new Java8Loader().loadClass(DayuCommand.class.getName()).getDeclaredMethod("start", String[].class,
        PrintStream.class);
    start.setAccessible(true);
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    assertEquals(false, start.invoke(null, new String[] {"-status"}, new PrintStream(err, true)));
    String line = err.toString(StandardCharsets.UTF_8);
    assertTrue(line.startsWith("dayu: hdfs dayu needs Java 17 or later, this is Java "), line);
    assertEquals(1, line.lines().count(), line);
  }
}
