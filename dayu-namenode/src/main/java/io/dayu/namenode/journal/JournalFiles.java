/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.journal;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;

/** The two files of a journal, which are written in turn. Not thread-safe. */
final class JournalFiles {
  private static final int COUNT = 2;
  private static final int BUFFER_BYTES = 1 << 16;
  /** A file that is smaller than this part of the bound is small. */
  private static final int SMALL_DIVISOR = 4;

  private final Path[] files;
  private OutputStream out;
  private boolean used;
  private int file;
  private long bytes;

  /** @param name of the files, to which {@code .0} and {@code .1} are added */
  JournalFiles(Path directory, String name) {
    files = new Path[] {directory.resolve(name + ".0"), directory.resolve(name + ".1")};
  }

  /** What one file may take of a bound of both. */
  static long maxBytes(long ofBoth) {
    return ofBoth / COUNT;
  }

  Path path(int which) {
    return files[which];
  }

  /** The file that is written. */
  Path current() {
    return files[file];
  }

  /** Bytes written to it. */
  long bytes() {
    return bytes;
  }

  /** Ends the present file, and begins the next one anew. */
  void begin(long maxBytesOfBoth) throws IOException {
    close();
    file = used ? 1 - file : leastWorth(maxBytesOfBoth);
    used = true;
    Files.createDirectories(files[file].toAbsolutePath().getParent());
    if (bytes(files[1 - file]) > maxBytes(maxBytesOfBoth)) {
      Files.delete(files[1 - file]); // It was recorded with a larger bound.
    }
    out = new BufferedOutputStream(Files.newOutputStream(files[file]), BUFFER_BYTES);
    bytes = 0;
  }

  /**
   * The file that a new recording overwrites: the older one, unless the newer one is small and the older one is not.
   * Else two restarts in a row would leave nothing of what was recorded before them.
   */
  private int leastWorth(long maxBytesOfBoth) throws IOException {
    int older = modified(files[0]).compareTo(modified(files[1])) <= 0 ? 0 : 1;
    long newerBytes = bytes(files[1 - older]);
    return newerBytes < Math.min(maxBytesOfBoth / SMALL_DIVISOR, bytes(files[older])) ? 1 - older : older;
  }

  private static long bytes(Path path) throws IOException {
    return Files.exists(path) ? Files.size(path) : 0;
  }

  private static FileTime modified(Path path) throws IOException {
    return Files.exists(path) ? Files.getLastModifiedTime(path) : FileTime.fromMillis(0);
  }

  void write(byte[] next) throws IOException {
    out.write(next);
    bytes += next.length;
  }

  void flush() throws IOException {
    out.flush();
  }

  /** Ends the present file, if there is one. */
  void close() throws IOException {
    if (out != null) {
      OutputStream ended = out;
      out = null;
      ended.close();
    }
  }
}
