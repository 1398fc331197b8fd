/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * The jars of a Hadoop line as Maven Central has them, without tests; resolved once and remembered in a directory.
 * Stateless.
 */
final class HadoopClassPath {
  private static final String PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath";

  private HadoopClassPath() {
  }

  /** @param directory where what was resolved is kept */
  static String resolve(String hadoop, Path directory) throws CannotRunException, IOException, InterruptedException {
    // What was resolved from another POM is not used.
    String name = "hadoop-" + hadoop + "-" + Integer.toHexString(pom(hadoop).hashCode());
    Path known = Files.createDirectories(directory).resolve(name + ".classpath");
    if (Files.exists(known)) {
      String classPath = Files.readString(known).strip();
      if (Stream.of(classPath.split(File.pathSeparator)).allMatch(jar -> Files.exists(Path.of(jar)))) {
        return classPath;
      }
    }
    Path pom = directory.resolve(name + ".pom.xml");
    Path resolved = directory.resolve(name + ".resolved");
    try {
      Files.writeString(pom, pom(hadoop));
      SystemCommands.Ended maven =
          SystemCommands.tryRun(List.of(maven(), "-B", "-ntp", "-q", "-f", pom.toString(), PLUGIN,
              "-Dmdep.outputFile=" + resolved, "-DincludeScope=runtime"));
      if (maven.exitCode() != 0) {
        String reason = maven.output().lines().filter(line -> line.contains("Could not "))
            .map(line -> line.substring(line.lastIndexOf("Could not "))).findFirst().orElse(maven.firstLine());
        throw new CannotRunException("Hadoop " + hadoop + " cannot be fetched from Maven Central: " + reason);
      }
      Files.move(resolved, known, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(pom);
      Files.deleteIfExists(resolved);
    }
    return Files.readString(known).strip();
  }

  /** The Maven that runs this, or the one on the PATH. */
  private static String maven() {
    String home = System.getProperty("maven.home", "");
    return home.isEmpty() ? "mvn" : Path.of(home, "bin", "mvn").toString();
  }

  /**
   * Imports the versions that Hadoop is built with ({@code hadoop-project}); otherwise Maven mixes versions of Jackson.
   * {@code hadoop-project} excludes the logging backend, which an installation has, so it is added.
   */
  private static String pom(String hadoop) {
    StringBuilder dependencies = new StringBuilder();
    for (String artifact : List.of("hadoop-common", "hadoop-hdfs-client", "hadoop-hdfs")) {
      dependencies.append(dependency("org.apache.hadoop", artifact, "<version>" + hadoop + "</version>"));
    }
    dependencies.append(dependency("org.slf4j", "slf4j-reload4j", "<scope>runtime</scope>"));
    return "<project><modelVersion>4.0.0</modelVersion><groupId>io.dayu</groupId><artifactId>hosts-hadoop</artifactId>"
        + "<version>1</version><packaging>pom</packaging><dependencyManagement><dependencies>"
        + dependency("org.apache.hadoop", "hadoop-project",
            "<version>" + hadoop + "</version><type>pom</type><scope>import</scope>")
        + "</dependencies></dependencyManagement><dependencies>" + dependencies + "</dependencies></project>";
  }

  private static String dependency(String group, String artifact, String more) {
    return "<dependency><groupId>" + group + "</groupId><artifactId>" + artifact + "</artifactId>" + more
        + "</dependency>";
  }
}
