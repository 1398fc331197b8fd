/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.programs;

import java.io.File;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What Maven calls: runs the main class of the demo or of a benchmark in a JVM of its own, on the same terminal, from a
 * copy of the classes of this checkout, which a later build does not touch. If that fails, ends Maven's JVM with its
 * exit code, so that its reason is the last thing on the screen instead of Maven's stack trace. Single-threaded.
 */
public final class Launcher {
  private static final String PROJECT = "maven.multiModuleProjectDirectory";
  private static final Set<String> OTHER_PROPERTIES = Set.of("test.build.data", "maven.home", PROJECT);

  private Launcher() {
  }

  /**
   * @param args the main class, and the prefix of its properties, which are handed on; PREFIXjvm.args has the arguments
   *     of the JVM
   */
  public static void main(String[] args) throws Exception {
    ClassPathCopy classPath = ClassPathCopy.of(classPath(),
        Path.of(System.getProperty(PROJECT, ".")));
    Process program = new ProcessBuilder(command(args[0], args[1], classPath.text())).inheritIO().start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      end(program);
      classPath.delete();
    }, "launcher-end"));
    int exitCode = program.waitFor();
    classPath.delete();
    if (exitCode != 0) {
      System.exit(exitCode);
    }
  }

  /** Maven may be ended before its time: then the program shall clean up before the prompt is back. */
  private static void end(Process program) {
    program.destroy();
    try {
      program.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<String> command(String mainClass, String prefix, String classPath) {
    String jvmArguments = prefix + "jvm.args";
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.addAll(List.of(System.getProperty(jvmArguments, "").trim().split("\\s+")));
    System.getProperties().stringPropertyNames().stream()
        .filter(name -> name.startsWith(prefix) && !name.equals(jvmArguments) || OTHER_PROPERTIES.contains(name))
        .forEach(name -> command.add("-D" + name + "=" + System.getProperty(name)));
    command.addAll(List.of("-classpath", classPath, mainClass));
    return command;
  }

  /** Maven keeps the project's class path in a class loader of its own. */
  private static String classPath() throws URISyntaxException {
    if (!(Launcher.class.getClassLoader() instanceof URLClassLoader loader)) {
      return System.getProperty("java.class.path");
    }
    List<String> entries = new ArrayList<>();
    for (URL url : loader.getURLs()) {
      entries.add(new File(url.toURI()).getPath());
    }
    return String.join(File.pathSeparator, entries);
  }
}
