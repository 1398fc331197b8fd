/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu;

import io.dayu.datanode.DataNodeRuntime;
import io.dayu.namenode.NameNodeRuntime;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The two jars as they are installed: a NameNode gets one of them and a DataNode the other, or both. No other test sees
 * a class that is missing in one of them, since both are on the class path of all tests.
 */
class PackedJarsIT {
  private static final String CLASS_PATH_PROPERTY = "hadoop.runtime.classpath";
  private static final Set<String> NEEDED_IN_BOTH = Set.of("dayu-default.xml", "dayu-version.properties",
      "io/dayu/conf/Setting.class", "io/dayu/metrics/MetricSet.class", "io/dayu/protocol/DayuProtos.class",
      "org/apache/hadoop/ipc/DeferredResponse.class");

  static List<Named<Path>> jars() throws Exception {
    return List.of(Named.of("dayu-namenode", jarOf(NameNodeRuntime.class)),
        Named.of("dayu-datanode", jarOf(DataNodeRuntime.class)));
  }

  private static Path jarOf(Class<?> type) throws Exception {
    Path jar = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    assertTrue(jar.toString().endsWith(".jar"),
        type + " comes from " + jar + "; this test needs packed jars, as in mvn verify");
    return jar;
  }

  /** Hadoop's runtime, of which none is ours and none is for tests. */
  private static String hadoop() {
    String classPath = System.getProperty(CLASS_PATH_PROPERTY, "");
    List<String> names = Arrays.stream(classPath.split(File.pathSeparator))
        .map(path -> new File(path).getName()).toList();
    assertTrue(names.stream().anyMatch(name -> name.startsWith("hadoop-hdfs-")),
        CLASS_PATH_PROPERTY + " = " + classPath);
    assertTrue(names.stream().noneMatch(name -> name.startsWith("dayu-") || name.endsWith("-tests.jar")),
        names::toString);
    return classPath;
  }

  @ParameterizedTest
  @MethodSource("jars")
  void jar_needsNothingBesideHadoopAndTheJdk(Path jar) {
    StringWriter found = new StringWriter();
    PrintWriter out = new PrintWriter(found);
    ToolProvider jdeps = ToolProvider.findFirst("jdeps")
        .orElseThrow(() -> new AssertionError("this test needs a JDK with jdeps"));
    int exitCode = jdeps.run(out, out, "--multi-release", Integer.toString(Runtime.version().feature()),
        "--missing-deps", "--class-path", hadoop(), jar.toString());
    assertEquals(0, exitCode, found::toString);
    List<String> missing = found.toString().lines().filter(line -> line.contains("not found")).toList();
    assertEquals(List.of(), missing);
  }

  @Test
  void filesInBothJars_areTheSame() throws Exception {
    try (JarFile namenode = new JarFile(jarOf(NameNodeRuntime.class).toFile());
        JarFile datanode = new JarFile(jarOf(DataNodeRuntime.class).toFile())) {
      Set<String> shared = files(namenode);
      shared.retainAll(files(datanode));
      assertEquals(Set.of(),
          NEEDED_IN_BOTH.stream().filter(name -> !shared.contains(name)).collect(Collectors.toSet()));
      for (String name : shared) {
        assertArrayEquals(bytes(datanode, name), bytes(namenode, name), name);
      }
    }
  }

  /** All but what tells of the jar itself. */
  private static Set<String> files(JarFile jar) {
    return jar.stream().filter(entry -> !entry.isDirectory() && !entry.getName().startsWith("META-INF/"))
        .map(entry -> entry.getName()).collect(Collectors.toCollection(TreeSet::new));
  }

  private static byte[] bytes(JarFile jar, String name) throws IOException {
    return jar.getInputStream(jar.getEntry(name)).readAllBytes();
  }
}
