/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A clock for each host: its processes' time of day can be set, their monotonic clocks stay. Thread-safe for different
 * hosts.
 *
 * @param library of {@code host-clock.c}; empty where there is no C compiler, and then all clocks are the machine's
 * @param directory which a file for each host is in
 */
record HostClocks(Optional<Path> library, Path directory) {
  private static final String SOURCE = "host-clock.c";

  /** Compiles the library into the directory, if that is possible. */
  static HostClocks compile(Path directory) throws IOException, InterruptedException {
    Path source = directory.resolve(SOURCE);
    try (InputStream in = HostClocks.class.getResourceAsStream("/" + SOURCE)) {
      if (in == null) {
        throw new FileNotFoundException(SOURCE);
      }
      Files.copy(in, source);
    }
    Path library = directory.resolve("host-clock.so");
    SystemCommands.Ended compiler = SystemCommands.tryRun(
        List.of("sh", "-c", "cc -O2 -shared -fPIC -o " + library + " " + source + " -ldl"));
    return new HostClocks(compiler.exitCode() == 0 ? Optional.of(library) : Optional.empty(), directory);
  }

  private Path file(String host) {
    return directory.resolve("clock-" + host);
  }

  /** What a process of the host needs in its environment. */
  Map<String, String> environment(String host) throws IOException {
    if (library.isEmpty()) {
      return Map.of();
    }
    if (!Files.exists(file(host))) {
      set(host, 0);
    }
    return Map.of("LD_PRELOAD", library.get().toString(), "HOST_CLOCK", file(host).toString());
  }

  /** Sets the clock, of processes that run, too. */
  void set(String host, long aheadSec) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(0, aheadSec);
    try (FileChannel out = FileChannel.open(file(host), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      out.write(bytes, 0);
    }
  }
}
