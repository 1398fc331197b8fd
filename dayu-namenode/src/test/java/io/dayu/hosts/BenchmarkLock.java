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

/** The machine's lock, so that no two benchmarks run at once. Stateless. */
final class BenchmarkLock {
  private static final Path FILE = Path.of("/run/dayu-hosts.lock");

  private BenchmarkLock() {
  }

  /** Until the process ends. For root. The short form measures nothing, so it waits for another benchmark to end. */
  static void take(boolean shortForm) throws IOException, CannotRunException {
    FileChannel channel = FileChannel.open(FILE, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (channel.tryLock() != null) {
      return;
    }
    if (shortForm) {
      System.out.println("waiting for another benchmark on this machine, which has locked " + FILE);
      channel.lock();
    } else {
      channel.close();
      throw new CannotRunException("another benchmark is running on this machine: " + FILE + " is locked");
    }
  }
}
