/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.check;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Classes that were compiled against one Hadoop and are looked at on another. */
class LinkedMembersTest {
  private static final Map<String, String> COMPILED_AGAINST = Map.of(
      "org/apache/hadoop/x/Base.java", "package org.apache.hadoop.x; public class Base { public void inherited() {} }",
      "org/apache/hadoop/x/Node.java", "package org.apache.hadoop.x; public class Node extends Base { public int f; "
          + "public Node(int a) {} public long changed(String s, int[] i) { return 0; } public void gone() {} }",
      "org/apache/hadoop/x/Gone.java", "package org.apache.hadoop.x; public class Gone { public static void go() {} }");
  private static final Map<String, String> OTHER = Map.of(
      "org/apache/hadoop/x/Base.java", "package org.apache.hadoop.x; public class Base { public void inherited() {} }",
      "org/apache/hadoop/x/Node.java", "package org.apache.hadoop.x; public class Node extends Base { public long f; "
          + "public int changed(String s, int[] i) { return 0; } }");
  private static final Map<String, String> OURS = Map.of("io/dayu/x/Ours.java", "package io.dayu.x; "
      + "import org.apache.hadoop.x.*; class Ours { long d = 5; Runnable r = Gone::go; void a() { "
      + "Node n = new Node(1); n.inherited(); n.f = 2; n.changed(\"\", null); n.gone(); n.hashCode(); } }");

  @TempDir
  Path work;

  private Path compile(String name, Map<String, String> sources, Path... classPath) throws IOException {
    Path directory = Files.createDirectory(work.resolve(name));
    List<String> options = new ArrayList<>(List.of("-d", directory.toString()));
    if (classPath.length > 0) {
      options.addAll(List.of("-classpath", classPath[0].toString()));
    }
    for (Map.Entry<String, String> source : sources.entrySet()) {
      Path file = work.resolve(name + ".src").resolve(source.getKey());
      Files.createDirectories(file.getParent());
      options.add(Files.writeString(file, source.getValue()).toString());
    }
    assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, options.toArray(new String[0])));
    return directory;
  }

  private static Set<String> missing(Path ours, Path hadoop) throws IOException {
    try (URLClassLoader loader = new URLClassLoader(new URL[] {hadoop.toUri().toURL()}, null)) {
      return LinkedMembers.missing(ours, loader);
    }
  }

  @Test
  void members_thatTheOtherHadoopLacks_areNamed() throws Exception {
    Path first = compile("first", COMPILED_AGAINST);
    Path ours = compile("ours", OURS, first);
    assertEquals(Set.of(), missing(ours, first));
    assertEquals(Set.of("class org.apache.hadoop.x.Gone", "org.apache.hadoop.x.Node.changed(String,int[])",
        "org.apache.hadoop.x.Node.f", "org.apache.hadoop.x.Node.gone()", "org.apache.hadoop.x.Node.new(int)"),
        missing(ours, compile("other", OTHER)));
  }

  @Test
  void jar_isReadAsADirectoryIs() throws Exception {
    Path first = compile("first", COMPILED_AGAINST);
    Path ours = compile("ours", OURS, first);
    Path jar = work.resolve("ours.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      out.putNextEntry(new JarEntry("io/dayu/x/Ours.class"));
      out.write(Files.readAllBytes(ours.resolve("io/dayu/x/Ours.class")));
    }
    assertEquals(missing(ours, compile("other", OTHER)), missing(jar, work.resolve("other")));
  }
}
