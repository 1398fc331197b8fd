/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import io.dayu.harness.SeededFiles;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Files whose last change failed. They are deleted, since one that is still open keeps its partial replicas. Before
 * that, the bytes that counted before the change must still be there, and all others that are there must be right.
 * Thread-safe; one thread at a time deletes.
 */
final class AbandonedFiles {
  private final FileSystem fs;
  private final SeededFiles content;
  /** By path, how many bytes of the file counted before the change that failed. */
  private final Map<String, Long> countedBytes = new ConcurrentHashMap<>();
  /** Files with wrong bytes, which stay as they are. */
  private final Set<String> wrong = ConcurrentHashMap.newKeySet();

  AbandonedFiles(FileSystem fs, SeededFiles content) {
    this.fs = fs;
    this.content = content;
  }

  /** @param counted how many of its bytes must still be there; 0 if it was new or was to be deleted */
  void add(String path, long counted) {
    countedBytes.put(path, counted);
  }

  boolean contains(String path) {
    return countedBytes.containsKey(path) || wrong.contains(path);
  }

  /** Those that are still to be compared or deleted. */
  int count() {
    return countedBytes.size();
  }

  /**
   * Compares and deletes them. What cannot be closed, read or deleted now is left for the next time. A file with wrong
   * bytes is kept, for people to look at.
   *
   * @param violated told of bytes that are wrong
   * @return which files are left and why
   */
  List<String> compareAndDelete(Consumer<String> violated) {
    List<String> left = new ArrayList<>();
    countedBytes.forEach((path, counted) -> {
      try {
        String difference = counted > 0 ? difference(path, counted) : "";
        if (difference.isEmpty()) {
          content.delete(fs, path);
        } else {
          wrong.add(path);
          violated.accept(difference);
        }
        countedBytes.remove(path);
      } catch (IOException e) {
        left.add(path + " cannot be compared and deleted: " + e.getMessage());
      }
    });
    return left;
  }

  /** The first wrong byte; empty if there is none. */
  private String difference(String path, long counted) throws IOException {
    // Bytes that a writer has not finished can be read only on some DataNodes.
    if (fs instanceof DistributedFileSystem hdfs && !hdfs.recoverLease(new Path(path))) {
      throw new IOException("it is still open");
    }
    String difference = content.compareAtLeast(fs, path, counted).orElse("");
    if (!isOfContent(difference)) {
      throw new IOException(difference);
    }
    return difference;
  }

  /** Whether a difference that was found is one of bytes; else the file could not be read. */
  static boolean isOfContent(String difference) {
    return !difference.contains(" cannot be read: ");
  }
}
