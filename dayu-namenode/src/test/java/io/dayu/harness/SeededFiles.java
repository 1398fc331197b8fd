/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.IntFunction;

/**
 * Files whose every byte follows from a seed and their path, so that what is read back can be compared without keeping
 * a copy. Safe for use by several threads on different files. A file's content is a prefix of an endless stream, so it
 * can be appended to.
 */
public final class SeededFiles {
  private static final int CHUNK_BYTES = 64 * 1024;

  private final long seed;
  private final Map<String, Long> lengthsBytes = new ConcurrentSkipListMap<>();
  /** The path under which a file was written that now has another path. */
  private final Map<String, String> writtenAs = new ConcurrentHashMap<>();

  public SeededFiles(long seed) {
    this.seed = seed;
  }

  /** Creates the file; it counts as written once it has been closed. */
  public void write(FileSystem fs, String path, long lengthBytes, int replication) throws IOException {
    Path file = new Path(path);
    fill(fs.create(file, false, CHUNK_BYTES, (short) replication, fs.getDefaultBlockSize(file)), path, lengthBytes);
  }

  /** The same, with the DataNodes on which HDFS shall place the replicas if it can. */
  public void write(DistributedFileSystem fs, String path, long lengthBytes, int replication,
      InetSocketAddress... favoredNodes) throws IOException {
    Path file = new Path(path);
    fill(fs.create(file, FsPermission.getFileDefault(), false, CHUNK_BYTES, (short) replication,
        fs.getDefaultBlockSize(file), null, favoredNodes), path, lengthBytes);
  }

  /** The same, with such DataNodes for each block by its place in the file. A striped file is written as it comes. */
  public void write(DistributedFileSystem fs, String path, long lengthBytes, int replication,
      IntFunction<InetSocketAddress[]> favoredNodes) throws IOException {
    Path file = new Path(path);
    long blockBytes = fs.getDefaultBlockSize(file);
    fs.mkdirs(file.getParent());
    if (fs.getErasureCodingPolicy(file.getParent()) != null) {
      write(fs, path, lengthBytes, replication);
      return;
    }
    write(fs, path, Math.min(lengthBytes, blockBytes), replication, favoredNodes.apply(0));
    for (long fromByte = blockBytes; fromByte < lengthBytes; fromByte += blockBytes) {
      long partBytes = Math.min(lengthBytes - fromByte, blockBytes);
      try (FSDataOutputStream out = fs.append(file, EnumSet.of(CreateFlag.APPEND, CreateFlag.NEW_BLOCK), CHUNK_BYTES,
          null, favoredNodes.apply((int) (fromByte / blockBytes)))) {
        copyContent(path, fromByte, partBytes, out);
      }
    }
    lengthsBytes.put(path, lengthBytes);
  }

  private void fill(FSDataOutputStream created, String path, long lengthBytes) throws IOException {
    try (FSDataOutputStream out = created) {
      copyContent(path, 0, lengthBytes, out);
    }
    lengthsBytes.put(path, lengthBytes);
  }

  public void append(FileSystem fs, String path, long moreBytes) throws IOException {
    long oldBytes = lengthsBytes.get(path);
    try (FSDataOutputStream out = fs.append(new Path(path), CHUNK_BYTES)) {
      copyContent(path, oldBytes, moreBytes, out);
    }
    lengthsBytes.put(path, oldBytes + moreBytes);
  }

  /** Shortens the file. If that cuts a block, HDFS closes the file only after a while. */
  public void truncate(FileSystem fs, String path, long newBytes) throws IOException {
    lengthsBytes.put(path, newBytes);
    fs.truncate(new Path(path), newBytes);
  }

  /** Says that what a file contains now must also be there under another path, as that of a snapshot. */
  public void copied(String path, String copy) {
    writtenAs.put(copy, path);
    lengthsBytes.put(copy, lengthsBytes.get(path));
  }

  /** Deletes the file, which is then expected to be there in a snapshot, under this path. */
  public void deleteButInSnapshot(FileSystem fs, String path, String inSnapshot) throws IOException {
    copied(path, inSnapshot);
    delete(fs, path);
  }

  /** Deletes the file, which is then no longer expected to be there. */
  public void delete(FileSystem fs, String path) throws IOException {
    lengthsBytes.remove(path);
    fs.delete(new Path(path), false);
  }

  /** The files that must be there, by path, with their lengths in bytes. */
  public Map<String, Long> lengthsBytes() {
    return Map.copyOf(lengthsBytes);
  }

  /** Reads the file to its end and compares. Returns the first difference. */
  public Optional<String> compare(FileSystem fs, String path) {
    long expectedBytes = lengthsBytes.get(path);
    return compare(fs, path, expectedBytes, expectedBytes);
  }

  /**
   * The same of a file whose last change may have been done in part: it has these bytes at least, and whatever follows
   * them is right.
   */
  public Optional<String> compareAtLeast(FileSystem fs, String path, long minBytes) {
    return compare(fs, path, minBytes, Long.MAX_VALUE);
  }

  private Optional<String> compare(FileSystem fs, String path, long minBytes, long maxBytes) {
    Stream stream = new Stream(path, 0);
    byte[] expected = new byte[CHUNK_BYTES];
    byte[] actual = new byte[CHUNK_BYTES];
    long offset = 0;
    try (InputStream in = fs.open(new Path(path))) {
      while (offset < maxBytes) {
        int chunk = (int) Math.min(CHUNK_BYTES, maxBytes - offset);
        stream.fill(expected);
        int read = in.readNBytes(actual, 0, chunk);
        int different = Arrays.mismatch(expected, 0, read, actual, 0, read);
        if (different >= 0) {
          return Optional.of(path + " differs at byte " + (offset + different));
        }
        offset += read;
        if (read < chunk) {
          break;
        }
      }
      if (offset < minBytes) {
        throw new EOFException("ends at " + offset + " of " + minBytes + " bytes");
      }
      return in.read() < 0 ? Optional.empty() : Optional.of(path + " is longer than " + maxBytes + " bytes");
    } catch (IOException e) {
      return Optional.of(path + " cannot be read: " + e.getMessage());
    }
  }

  /** Writes what the file of that path contains, or would contain, from a byte on. */
  public void copyContent(String path, long fromByte, long countBytes, OutputStream out) throws IOException {
    Stream stream = new Stream(path, fromByte / CHUNK_BYTES);
    byte[] chunk = new byte[CHUNK_BYTES];
    for (long atByte = fromByte; atByte < fromByte + countBytes;) {
      stream.fill(chunk);
      int begin = (int) (atByte % CHUNK_BYTES);
      int count = (int) Math.min(CHUNK_BYTES - begin, fromByte + countBytes - atByte);
      out.write(chunk, begin, count);
      atByte += count;
    }
  }

  /**
   * The endless content of one path, from a chunk on. As {@link java.util.SplittableRandom} makes it, but to be begun
   * anywhere, and fast without HotSpot's optimizing compiler too: tests spend much of their CPU here.
   */
  private final class Stream {
    private static final long GAMMA = 0x9E3779B97F4A7C15L;

    private final long[] numbers = new long[CHUNK_BYTES / Long.BYTES];
    private long state;

    Stream(String path, long firstChunk) {
      state = seed * 31 + writtenAs.getOrDefault(path, path).hashCode() + firstChunk * numbers.length * GAMMA;
    }

    void fill(byte[] chunk) {
      for (int i = 0; i < numbers.length; i++) {
        state += GAMMA;
        long z = (state ^ state >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        numbers[i] = z ^ z >>> 31;
      }
      ByteBuffer.wrap(chunk).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().put(numbers);
    }
  }
}
