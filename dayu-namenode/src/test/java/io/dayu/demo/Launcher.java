/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.demo;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/**
 * What Maven calls: runs {@link Demo} in a JVM of its own, on the same terminal. If the demo fails, ends Maven's JVM with the demo's exit
 * code, so that the demo's reason is the last thing on the screen instead of Maven's stack trace. Single-threaded.
 */
public final class Launcher {
  private static final String JVM_ARGUMENTS = "demo.jvm.args";

  private Launcher() {
  }

  public static void main(String[] args) throws Exception {
    Process demo = new ProcessBuilder(command()).inheritIO().start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(demo), "demo-end"));
    int exitCode = demo.waitFor();
    if (exitCode != 0) {
      System.exit(exitCode);
    }
  }

  /** Maven may be ended before its time: then the demo shall clean up before the prompt is back. */
  private static void end(Process demo) {
    demo.destroy();
    try {
      demo.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<String> command() throws IOException, URISyntaxException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.addAll(List.of(System.getProperty(JVM_ARGUMENTS, "").trim().split("\\s+")));
    System.getProperties().stringPropertyNames().stream()
        .filter(name -> name.startsWith(DemoOptions.PREFIX) && !name.equals(JVM_ARGUMENTS) || name.equals("test.build.data"))
        .forEach(name -> command.add("-D" + name + "=" + System.getProperty(name)));
    command.addAll(List.of("-classpath", classPath(), Demo.class.getName()));
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
