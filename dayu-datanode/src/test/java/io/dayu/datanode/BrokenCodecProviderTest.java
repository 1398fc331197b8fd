/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureCoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A jar on the class path names a provider of codecs that cannot be loaded, so Hadoop's registry cannot either. */
class BrokenCodecProviderTest {
  @TempDir
  private Path directory;

  /** This class path with the provider. */
  private URL[] classPath() throws Exception {
    Path services = Files.createDirectories(directory.resolve("META-INF/services"));
    Files.writeString(services.resolve(RawErasureCoderFactory.class.getName()), "org.example.NoSuchFactory\n");
    List<URL> all = new ArrayList<>(List.of(directory.toUri().toURL()));
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      all.add(new File(entry).toURI().toURL());
    }
    return all.toArray(URL[]::new);
  }

  @Test
  void agentGoesOn_withoutCodecs() throws Exception {
    ClassLoader usual = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
      Thread.currentThread().setContextClassLoader(loader);
      Class.forName(Agent.class.getName(), true, loader);
      Method read = Class.forName(Codecs.class.getName(), true, loader).getDeclaredMethod("ofThisDataNode");
      read.setAccessible(true);
      assertEquals(new Codecs(false, List.of()).toString(), read.invoke(null).toString());
    } finally {
      Thread.currentThread().setContextClassLoader(usual);
    }
  }
}
