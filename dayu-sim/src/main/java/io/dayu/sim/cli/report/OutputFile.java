/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.report;

import io.dayu.sim.cli.options.BadInputException;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.GZIPOutputStream;

/**
 * A file that appears whole or not at all: it is written under another name and then renamed. Checks at once that this
 * is possible, not after an hour's work. Single-threaded.
 */
public final class OutputFile implements AutoCloseable {
  private final Path given;
  private final Path place;
  private final Path beside;

  public OutputFile(Path file) {
    given = file;
    place = file.toAbsolutePath();
    if (Files.isDirectory(place)) {
      throw new BadInputException("cannot write " + file + ": it is a directory");
    }
    if (!Files.exists(place.getParent())) {
      throw new BadInputException("cannot write " + file + ": no such folder " + place.getParent());
    }
    if (!Files.isDirectory(place.getParent())) {
      throw new BadInputException("cannot write " + file + ": " + place.getParent() + " is no folder");
    }
    beside = place.resolveSibling("." + place.getFileName() + ".part");
    beside.toFile().deleteOnExit(); // Where an interrupt ends the program.
    try {
      Files.newOutputStream(beside).close();
    } catch (IOException e) {
      throw new BadInputException("cannot write " + file + ": " + BadInputException.reason(e));
    }
  }

  /** Writes contents. */
  @FunctionalInterface
  public interface Writer {
    void write(OutputStream out) throws IOException;
  }

  /** Replaces the file by what the writer writes; may be called again. */
  public void replace(Writer writer) {
    try {
      try (OutputStream out = Files.newOutputStream(beside)) {
        writer.write(out);
      }
      Files.move(beside, place, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new BadInputException("cannot write " + given + ": " + BadInputException.reason(e));
    }
  }

  /** Writes text. */
  @FunctionalInterface
  public interface TextWriter {
    void write(Appendable out) throws IOException;
  }

  /** Replaces the file by text in UTF-8, gzip if its name ends in .gz. */
  public void replaceText(TextWriter writer) {
    replace(bytes -> {
      try (OutputStreamWriter text = new OutputStreamWriter(
          place.toString().endsWith(".gz") ? new GZIPOutputStream(bytes) : bytes, StandardCharsets.UTF_8)) {
        writer.write(text);
      }
    });
  }

  @Override
  public void close() {
    try {
      Files.deleteIfExists(beside);
    } catch (IOException e) {
      throw new BadInputException("cannot remove " + beside + ": " + BadInputException.reason(e));
    }
  }
}
