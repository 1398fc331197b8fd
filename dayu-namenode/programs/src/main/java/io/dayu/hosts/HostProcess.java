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
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A JVM in the namespace of a host, with a raised priority. Not thread-safe. */
final class HostProcess {
  private static final String PRIORITY = "-5";
  private static final int STOP_LIMIT_SEC = 60;
  private static final List<String> JVM_ARGUMENTS = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss512k",
      "-Djava.net.preferIPv4Stack=true", "-Duser.timezone=UTC", "-Dsun.net.inetaddr.ttl=-1",
      "--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.base/java.util=ALL-UNNAMED",
      "--add-opens=java.base/java.io=ALL-UNNAMED", "--add-opens=java.base/java.nio=ALL-UNNAMED");

  private final String name;
  private final Process process;

  HostProcess(String name, Process process) {
    this.name = name;
    this.process = process;
  }

  /**
   * Starts a main class.
   *
   * @param name of the process; its log and what it prints go to files of this name
   * @param heap as in -Xmx
   * @param jars what follows the configuration on the class path
   * @param interactive whether its standard input and output are pipes to this process
   * @param environment variables that it has beside those of this process
   */
  static HostProcess start(HostConf hostConf, String host, String name, Path logs, String heap, String jars,
      boolean interactive, Map<String, String> environment, List<String> mainAndArguments) throws IOException {
    Path conf = hostConf.write(host);
    List<String> command = new ArrayList<>(List.of("setsid", "ip", "netns", "exec", HostNetwork.namespace(host), "nice",
        "-n", PRIORITY, Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx" + heap));
    command.addAll(JVM_ARGUMENTS);
    command.add("-Djdk.net.hosts.file=" + hostConf.namesFile(host));
    command.add("-D" + HostConf.LOG_PROPERTY + "=" + logs.resolve(name + ".log"));
    command.add("-Djava.io.tmpdir=" + Files.createDirectories(hostConf.directory().resolve("tmp-" + host)));
    command.addAll(List.of("-classpath", conf + File.pathSeparator + jars));
    command.addAll(mainAndArguments);
    ProcessBuilder builder = new ProcessBuilder(command).directory(hostConf.directory().toFile());
    builder.environment().putAll(environment);
    File printed = logs.resolve(name + ".out").toFile();
    builder.redirectError(printed);
    if (!interactive) {
      builder.redirectOutput(printed).redirectInput(new File("/dev/null"));
    }
    return new HostProcess(name, builder.start());
  }

  /**
   * Where the kernel groups processes by session, nice counts only within the session. For a process that has begun
   * its main class.
   */
  void raiseGroupPriority() {
    try {
      Files.writeString(Path.of("/proc", Long.toString(process.pid()), "autogroup"), PRIORITY);
    } catch (IOException notGrouped) {
      // A kernel without such groups.
    }
  }

  /** Also that of the JVM: the programs before it on the command line become it. */
  long pid() {
    return process.pid();
  }

  Process process() {
    return process;
  }

  /** It stands still, until {@link #goOn}. */
  void pause() throws IOException, InterruptedException {
    SystemCommands.run("kill -STOP " + pid());
  }

  void goOn() throws IOException, InterruptedException {
    SystemCommands.run("kill -CONT " + pid());
  }

  boolean isAlive() {
    return process.isAlive();
  }

  void kill() {
    process.destroyForcibly();
  }

  /** Returns once it is gone. */
  void killAndWait() throws IOException, InterruptedException {
    kill();
    await(STOP_LIMIT_SEC);
  }

  int await(int limitSec) throws IOException, InterruptedException {
    if (!process.waitFor(limitSec, TimeUnit.SECONDS)) {
      throw new IOException(name + " did not end within " + limitSec + " s");
    }
    return process.exitValue();
  }

  /**
   * What an interactive process prints until it ends; one that does not end within the limit is killed. It is read
   * meanwhile: what does not fit into a pipe would keep the process waiting.
   */
  String awaitOutput(int limitSec) throws IOException, InterruptedException {
    CompletableFuture<byte[]> printed = CompletableFuture.supplyAsync(() -> {
      try {
        return process.getInputStream().readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
    try {
      await(limitSec);
      // Before the kill, which closes what is not read yet.
      return new String(printed.orTimeout(limitSec, TimeUnit.SECONDS).join(), StandardCharsets.UTF_8);
    } finally {
      kill();
    }
  }

  void stop() throws IOException, InterruptedException {
    process.destroy();
    await(STOP_LIMIT_SEC);
  }
}
