/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.FilterReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import java.util.zip.GZIPInputStream;

/**
 * Opens a text file in UTF-8, with or without a byte order mark. Gzip is recognised by its content, not by the file's
 * name. A line that is too long is refused, since a small file may unpack to one that no memory holds. Static methods
 * only, hence thread-safe.
 */
public final class TextFile {
  private static final int GZIP_MAGIC = 0x8b1f;
  private static final int BUFFER_BYTES = 1 << 16;
  /** Longer than the row of a trace with a million slots. */
  private static final int MAX_LINE_CHARS = 1 << 24;
  private static final int BYTE_ORDER_MARK = '\uFEFF';

  private TextFile() {
  }

  /**
   * Opens a file to be read by lines.
   *
   * @param progress receives the number of bytes that have been read of the file, before decompression
   */
  public static BufferedReader open(Path path, LongConsumer progress) throws IOException {
    return open(path, progress, MAX_LINE_CHARS);
  }

  /** Opens a file whose reader keeps no line as a whole; so its lines may have any length. */
  public static BufferedReader openStream(Path path) throws IOException {
    return open(path, bytes -> {}, Long.MAX_VALUE);
  }

  private static BufferedReader open(Path path, LongConsumer progress, long maxLineChars) throws IOException {
    InputStream bytes = new BufferedInputStream(new Counted(Files.newInputStream(path), progress), BUFFER_BYTES);
    try {
      bytes.mark(2);
      int magic = bytes.read() | bytes.read() << 8;
      bytes.reset();
      InputStream unpacked = magic == GZIP_MAGIC ? new GZIPInputStream(bytes, BUFFER_BYTES) : bytes;
      BufferedReader text = new BufferedReader(
          new BoundedLines(new InputStreamReader(unpacked, StandardCharsets.UTF_8), maxLineChars), BUFFER_BYTES);
      text.mark(1);
      if (text.read() != BYTE_ORDER_MARK) {
        text.reset();
      }
      return text;
    } catch (IOException e) {
      bytes.close();
      throw e;
    }
  }

  /** Refuses a line that is longer than the bound, before it is kept anywhere. Not thread-safe. */
  private static final class BoundedLines extends FilterReader {
    private final long maxChars;
    private long line = 1;
    private long chars;

    BoundedLines(Reader in, long maxChars) {
      super(in);
      this.maxChars = maxChars;
    }

    @Override
    public int read(char[] buffer, int from, int length) throws IOException {
      int read = super.read(buffer, from, length);
      for (int i = from; i < from + read; i++) {
        if (buffer[i] == '\n') {
          line++;
          chars = 0;
        } else if (++chars > maxChars) {
          throw new IOException("line " + line + " is longer than " + maxChars + " characters");
        }
      }
      return read;
    }
  }

  /** Counts what is read in blocks, as {@link BufferedInputStream} does. Not thread-safe. */
  private static final class Counted extends FilterInputStream {
    private final LongConsumer progress;
    private long count;

    Counted(InputStream in, LongConsumer progress) {
      super(in);
      this.progress = progress;
    }

    @Override
    public int read(byte[] buffer, int from, int length) throws IOException {
      int read = super.read(buffer, from, length);
      count += Math.max(0, read);
      progress.accept(count);
      return read;
    }
  }
}
