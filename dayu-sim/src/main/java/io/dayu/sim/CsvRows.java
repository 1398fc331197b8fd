/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the rows of a CSV file, gzip or not, as people and their programs write them: separated by commas, semicolons
 * or tabs, as the first row is; fields may be quoted; blank lines and lines that begin with # are no rows. Where fields
 * are not separated by commas, a decimal comma is a decimal point. Single-threaded.
 */
public final class CsvRows implements AutoCloseable {
  private static final ObjectReader FIELDS = new CsvMapper().enable(CsvParser.Feature.TRIM_SPACES)
      .readerFor(String[].class);
  private static final char[] SEPARATORS = {',', ';', '\t'};

  private final Path file;
  private final BufferedReader reader;
  private final List<String> comments = new ArrayList<>();
  private long line;
  private char separator;
  private ObjectReader fields;

  public CsvRows(Path file) throws IOException {
    this.file = file;
    reader = TextFile.open(file, bytes -> {});
  }

  /** The fields of the next row without spaces around them, or null at the end. */
  public String[] next() throws IOException {
    for (String text = reader.readLine(); text != null; text = reader.readLine()) {
      line++;
      if (text.startsWith("#")) {
        comments.add(text.substring(1).trim());
      } else if (!text.isBlank()) {
        if (fields == null) {
          separator = mostFrequent(text);
          fields = FIELDS.with(CsvSchema.emptySchema().withColumnSeparator(separator));
        }
        try {
          return fields.readValue(text);
        } catch (JsonProcessingException e) {
          throw new IOException("line " + line + ": " + e.getOriginalMessage());
        }
      }
    }
    line++;
    return null;
  }

  private static char mostFrequent(String header) {
    char found = SEPARATORS[0];
    long most = 0;
    for (char one : SEPARATORS) {
      long count = header.chars().filter(c -> c == one).count();
      if (count > most) {
        most = count;
        found = one;
      }
    }
    return found;
  }

  /** A field with its decimal comma, if it may have one, made a decimal point. */
  public String decimal(String field) {
    return separator == SEPARATORS[0] ? field : field.replace(',', '.');
  }

  /** The number of the line that was read last, from 1; after the end, of the line that is not there. */
  public long line() {
    return line;
  }

  /** What the lines that begin with # said so far. */
  public List<String> comments() {
    return comments;
  }

  /** Where the reader is, for messages. */
  public String where() {
    return file + ": line " + line;
  }

  /** Positions of these columns in a header, -1 for those that it lacks. */
  public static int[] columns(String[] header, List<String> names) {
    List<String> found = Arrays.asList(header);
    return names.stream().mapToInt(found::indexOf).toArray();
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
