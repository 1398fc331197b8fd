/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.harness.SeededFiles;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * The class paths of the processes: each kind of daemon has Hadoop's jars and its own jar only, as an admin installs
 * it. Immutable.
 *
 * @param hadoop class path of the Hadoop line
 * @param nameNode the jar of the NameNodes
 * @param dataNode the jar of the DataNodes with even numbers
 * @param otherDataNode the jar of those with odd numbers
 */
record HostJars(String hadoop, Path nameNode, Path dataNode, Path otherDataNode) {

  /** @param project the directory of all modules */
  static HostJars find(HostsOptions options, String hadoop, Path project) throws IOException, CannotRunException {
    Path nameNode =
        options.jars().nameNode().isPresent() ? options.jars().nameNode().get() : built(project, "dayu-namenode");
    Path dataNode =
        options.jars().dataNode().isPresent() ? options.jars().dataNode().get() : built(project, "dayu-datanode");
    return new HostJars(hadoop, nameNode, dataNode, options.jars().otherDataNode().orElse(dataNode));
  }

  private static Path built(Path project, String module) throws IOException, CannotRunException {
    Path target = project.resolve(module).resolve("target");
    try (Stream<Path> files = Files.isDirectory(target) ? Files.list(target) : Stream.empty()) {
      List<Path> jars = files.filter(file -> file.getFileName().toString()
          .matches(module + "-[\\d.]+(-SNAPSHOT)?\\.jar")).toList();
      if (jars.size() != 1) {
        throw new CannotRunException("expected one jar of " + module + " in " + target + ", found " + jars.size());
      }
      return jars.get(0);
    }
  }

  /** The same, with copies of the jars under test, so that a build does not replace them under a running daemon. */
  HostJars copiedTo(Path directory) throws IOException {
    DirectoryTree.delete(directory);
    Files.createDirectories(directory);
    return new HostJars(hadoop, Files.copy(nameNode, directory.resolve("namenode.jar")),
        Files.copy(dataNode, directory.resolve("datanode.jar")),
        Files.copy(otherDataNode, directory.resolve("datanode-odd.jar")));
  }

  /** A text for a file's name that identifies the jars under test. */
  String digest() throws IOException {
    CRC32 crc = new CRC32();
    crc.update(Files.readAllBytes(nameNode));
    crc.update(Files.readAllBytes(dataNode));
    crc.update(Files.readAllBytes(otherDataNode));
    return Long.toHexString(crc.getValue());
  }

  String nameNode(RecoveryMode mode) {
    return mode == RecoveryMode.DAYU ? hadoop + File.pathSeparator + nameNode : hadoop;
  }

  String dataNode(RecoveryMode mode, int node) {
    return mode == RecoveryMode.DAYU ? hadoop + File.pathSeparator + (node % 2 == 0 ? dataNode : otherDataNode)
        : hadoop;
  }

  /** The clients are classes of ours that stand on the harness. */
  String client() {
    return String.join(File.pathSeparator, hadoop, placeOf(HostJars.class), placeOf(SeededFiles.class));
  }

  private static String placeOf(Class<?> one) {
    return one.getProtectionDomain().getCodeSource().getLocation().getPath();
  }
}
