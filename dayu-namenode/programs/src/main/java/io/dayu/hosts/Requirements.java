/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.harness.MachineCheck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the machine must have. Stateless. */
final class Requirements {
  private static final String HINT = "; the benchmark on emulated hosts needs Linux, root, and ip and tc of iproute2";
  private static final long PROBE_BITS_PER_SEC = 25_000_000;

  /** How commands of the system are run. */
  interface Shell {
    /** The output; a failure is an exception that names the command. */
    String run(String command) throws IOException, InterruptedException;
  }

  private Requirements() {
  }

  /** What can be told without setting anything up. */
  static void checkSystem() throws CannotRunException, IOException {
    if (!System.getProperty("os.name").equals("Linux")) {
      throw new CannotRunException("this is " + System.getProperty("os.name") + HINT);
    }
    if (!Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
      throw new CannotRunException("not run as root" + HINT);
    }
    for (String tool : List.of("ip", "tc", "nice", "setsid")) {
      if (!isOnPath(tool)) {
        throw new CannotRunException("there is no " + tool + " on the PATH" + HINT);
      }
    }
  }

  /** @param work where the daemons have their directories */
  static void checkDirectory(Path work) throws CannotRunException {
    if (!MachineCheck.canHoldDataNodes(work)) {
      throw new CannotRunException("HDFS's DataNodes do not start where a path has a space or another sign that a URI "
          + "escapes, and this is " + work);
    }
  }

  /**
   * Builds the smallest network of that kind and removes it. For the owner of the benchmark's lock.
   *
   * @param queue of its link
   */
  static void checkNetwork(LinkQueue queue) throws CannotRunException, IOException, InterruptedException {
    checkNetwork(queue, SystemCommands::run);
  }

  static void checkNetwork(LinkQueue queue, Shell shell)
      throws CannotRunException, IOException, InterruptedException {
    String probe = HostNetwork.PREFIX + "probe";
    try {
      shell.run("ip netns add " + probe);
      shell.run("ip -n " + probe + " link add br0 type bridge");
      shell.run("ip -n " + probe + " link add eth0 type veth peer name eth1");
      shell.run("ip -n " + probe + " link set eth0 gso_max_size " + queue.segmentBytes());
      for (String command : queue.commands("eth0", PROBE_BITS_PER_SEC)) {
        shell.run("tc -n " + probe + " " + command);
      }
      if (queue.kind() == LinkQueue.Kind.CLASSES) {
        shell.run("ip netns exec " + probe + " sysctl -q -w net.ipv4.tcp_reflect_tos=1");
      }
    } catch (IOException e) {
      throw new CannotRunException("this system has no network namespaces with bridge, veth and "
          + (queue.kind() == LinkQueue.Kind.FIFO ? "tbf: " : "htb, u32 and the sysctl net.ipv4.tcp_reflect_tos: ")
          + e.getMessage());
    } finally {
      remove(probe, shell);
    }
  }

  private static void remove(String namespace, Shell shell) throws InterruptedException {
    try {
      shell.run("ip netns del " + namespace);
    } catch (IOException e) {
      // It could not be made.
    }
  }

  private static boolean isOnPath(String tool) {
    for (String directory : System.getenv().getOrDefault("PATH", "").split(":")) {
      if (Files.isExecutable(Path.of(directory, tool))) {
        return true;
      }
    }
    return false;
  }
}
