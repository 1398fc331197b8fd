/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The machine's lock, so that no two benchmarks run at once. Kept until the process ends. For root, and one thread. */
final class BenchmarkLock {
  private static final Path FILE = Path.of("/run/dayu-hosts.lock");
  private static final int POLL_SEC = 1;
  /** A channel that nobody refers to is closed by the garbage collector, which ends its lock. */
  private static FileChannel held;

  private BenchmarkLock() {
  }

  static void take() throws IOException, CannotRunException {
    if (!taken()) {
      throw new CannotRunException("another benchmark is running on this machine: " + FILE + " is locked");
    }
  }

  /** Waits for a benchmark that runs already. */
  static void await(Duration limit) throws IOException, CannotRunException, InterruptedException {
    long beganNs = System.nanoTime();
    for (boolean said = false; !taken(); said = true) {
      if (!said) {
        System.out.println("waiting for another benchmark on this machine, which has locked " + FILE);
      }
      if (System.nanoTime() - beganNs > limit.toNanos()) {
        throw new CannotRunException(
            "another benchmark has run on this machine for " + limit.toMinutes() + " min: " + FILE + " is locked");
      }
      TimeUnit.SECONDS.sleep(POLL_SEC);
    }
  }

  /** Takes the lock if nobody has it. */
  private static boolean taken() throws IOException {
    FileChannel channel = FileChannel.open(FILE, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (channel.tryLock() != null) {
      held = channel;
      return true;
    }
    channel.close();
    return false;
  }
}
