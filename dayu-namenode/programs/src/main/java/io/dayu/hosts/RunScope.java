/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.programs.Screen;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Resources that have been set up and must be released in reverse order: processes, namespaces, directories.
 * Thread-safe, since a hook of the JVM closes it when the benchmark is interrupted.
 */
final class RunScope implements Closeable {
  private static final long DELETION_LIMIT_NS = TimeUnit.SECONDS.toNanos(60);
  private static final int DELETION_PAUSE_MS = 50;

  private final Screen screen;
  private final Deque<Closeable> open = new ArrayDeque<>();

  RunScope(Screen screen) {
    this.screen = screen;
  }

  Screen screen() {
    return screen;
  }

  synchronized <T extends Closeable> T open(T resource) {
    open.push(resource);
    return resource;
  }

  /** A new, empty directory. */
  synchronized Path directory(Path path) throws IOException {
    DirectoryTree.delete(path);
    Files.createDirectories(path);
    open.push(() -> deleteWhileWritten(path));
    return path;
  }

  /** Processes that were killed may go on writing until the machine has time to end them. */
  private static void deleteWhileWritten(Path path) throws IOException {
    long beganNs = System.nanoTime();
    while (Files.exists(path)) {
      try {
        DirectoryTree.delete(path);
      } catch (IOException e) {
        if (System.nanoTime() - beganNs > DELETION_LIMIT_NS || !pause()) {
          throw e;
        }
      }
    }
  }

  /** Returns false at an interrupt. */
  private static boolean pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(DELETION_PAUSE_MS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** The first failure is thrown after everything was tried. */
  @Override
  public synchronized void close() throws IOException {
    IOException failure = null;
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (IOException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
