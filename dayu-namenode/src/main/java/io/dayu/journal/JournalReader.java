/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.journal;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Reads one segment of a journal, compressed by gzip or not, up to its last whole record. Static methods only, hence
 * thread-safe.
 */
public final class JournalReader {
  private static final int GZIP_MAGIC = 0x1f8b;

  private JournalReader() {
  }

  /**
   * Reads a segment.
   *
   * @param records receives each record
   * @return what was lost at the end, in words; empty if the segment is whole
   * @throws IOException if the file cannot be read, or is no journal at all
   */
  public static Optional<String> read(Path file, Consumer<JournalRecord> records) throws IOException {
    return readWhile(file, next -> {
      records.accept(next);
      return true;
    });
  }

  /**
   * Reads no more than the first record of a segment.
   *
   * @return empty if there is no whole one
   * @throws IOException if the file cannot be read, or is no journal at all
   */
  public static Optional<JournalRecord> first(Path file) throws IOException {
    List<JournalRecord> first = new ArrayList<>(1);
    readWhile(file, next -> {
      first.add(next);
      return false;
    });
    return first.stream().findFirst();
  }

  /** @param wantsMore receives each record, and returns whether to read on */
  private static Optional<String> readWhile(Path file, Predicate<JournalRecord> wantsMore) throws IOException {
    try (InputStream in = open(file)) {
      Source source = new Source(in);
      byte[] magic = source.next(JournalEncoder.MAGIC.length);
      int known = JournalEncoder.MAGIC.length - 1;
      if (magic.length < JournalEncoder.MAGIC.length
          || !Arrays.equals(magic, 0, known, JournalEncoder.MAGIC, 0, known)) {
        throw new IOException(file + " is no journal of Dayu");
      }
      if (magic[known] != JournalEncoder.MAGIC[known]) {
        throw new IOException(file + " has format " + magic[known] + ", expected " + JournalEncoder.MAGIC[known]);
      }
      return readRecords(source, wantsMore);
    }
  }

  private static InputStream open(Path file) throws IOException {
    BufferedInputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
    try {
      in.mark(2);
      boolean zipped = (in.read() << Byte.SIZE | in.read()) == GZIP_MAGIC;
      in.reset();
      return zipped ? new BufferedInputStream(new GZIPInputStream(in)) : in;
    } catch (EOFException | ZipException e) {
      in.close();
      throw new IOException(file + " is no journal of Dayu: " + e.getMessage(), e);
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  private static Optional<String> readRecords(Source source, Predicate<JournalRecord> wantsMore) throws IOException {
    long at = JournalEncoder.MAGIC.length;
    while (true) {
      byte[] frame = source.next(JournalEncoder.FRAME_BYTES);
      if (frame.length < JournalEncoder.FRAME_BYTES) {
        return source.end(frame.length, at);
      }
      int length = ByteBuffer.wrap(frame).getInt();
      if (length < 1 || length > JournalEncoder.MAX_RECORD_BYTES) {
        return corrupt(at);
      }
      byte[] payload = source.next(length);
      if (payload.length < length) {
        return source.end(frame.length + payload.length, at);
      }
      if (checksum(payload) != ByteBuffer.wrap(frame).getInt(Integer.BYTES)) {
        return corrupt(at);
      }
      JournalRecord next;
      try {
        next = JournalDecoder.decode(payload);
      } catch (RuntimeException e) {
        return corrupt(at);
      }
      if (next != null && !wantsMore.test(next)) {
        return Optional.empty();
      }
      at += frame.length + length;
    }
  }

  private static Optional<String> corrupt(long at) {
    return Optional.of("it is corrupt at byte " + at + ": nothing from there on was read");
  }

  private static int checksum(byte[] payload) {
    CRC32C checksum = new CRC32C();
    checksum.update(payload);
    return (int) checksum.getValue();
  }

  /** A segment's bytes, unpacked. */
  private static final class Source {
    private final InputStream in;
    /** Whether gzip could not unpack what follows. */
    private boolean damaged;

    Source(InputStream in) {
      this.in = in;
    }

    /** The next bytes: as many as wanted, or fewer at the end and where gzip cannot unpack further. */
    byte[] next(int wanted) throws IOException {
      byte[] read = new byte[wanted];
      int count = 0;
      try {
        for (int more = 0; more >= 0 && count < wanted; count += Math.max(0, more)) {
          more = in.read(read, count, wanted - count);
        }
      } catch (EOFException | ZipException e) {
        damaged = true;
      }
      return count == wanted ? read : Arrays.copyOf(read, count);
    }

    /** What was lost, in words, where the bytes end; empty if they end with a whole record. */
    Optional<String> end(int bytes, long at) {
      if (damaged) {
        return Optional.of("its compression is cut off or corrupt: nothing from byte " + at
            + " of what was compressed was read");
      }
      return bytes == 0 ? Optional.empty() : Optional
          .of("it is cut off: its last " + bytes + " bytes, from byte " + at + " on, are no whole record");
    }
  }
}
