/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.demo;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the demo is asked to do, read from the properties {@code demo.*} and checked. Immutable.
 *
 * @param nodes DataNodes
 * @param racks racks, over which the nodes are dealt out
 * @param replication of every file
 * @param dataBytes of all files together, before replication
 * @param blockBytes block size
 * @param bandwidthBytesPerSec what Dayu takes each node's network to carry, in each direction
 * @param seed decides contents, the node to kill and the foreground load
 * @param json where the result is written
 */
record DemoOptions(int nodes, int racks, int replication, long dataBytes, long blockBytes, long bandwidthBytesPerSec, long seed,
    Optional<Path> json) {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,12})([kmg]?)");

  /** A property with a value that is not possible; the message names it and says what is. */
  static final class BadOptionException extends Exception {
    BadOptionException(String property, String value, String expected) {
      super("-D" + property + "=" + value + " is not possible: expected " + expected);
    }
  }

  /** @param properties the text of a property; null or empty stands for the default */
  static DemoOptions read(UnaryOperator<String> properties) throws BadOptionException {
    int nodes = (int) number(properties, "demo.nodes", "9", 3, 30);
    int racks = (int) number(properties, "demo.racks", "3", 1, nodes);
    int replication = (int) number(properties, "demo.replication", "3", 2, nodes - 1);
    long blockBytes = size(properties, "demo.block", "4m", 64 << 10, 256 << 20);
    long dataBytes = size(properties, "demo.data", "512m", blockBytes * nodes, 64L << 30);
    long bandwidth = size(properties, "demo.bandwidth", "2m", 64 << 10, 10L << 30);
    long seed = number(properties, "demo.seed", "1", Long.MIN_VALUE, Long.MAX_VALUE);
    String json = text(properties, "demo.json", "");
    if (blockBytes % 512 != 0) {
      throw new BadOptionException("demo.block", text(properties, "demo.block", "4m"), "a multiple of 512 bytes");
    }
    if (!json.isEmpty() && (Path.of(json).toAbsolutePath().getParent() == null
        || !Path.of(json).toAbsolutePath().getParent().toFile().canWrite() || Path.of(json).toFile().isDirectory())) {
      throw new BadOptionException("demo.json", json, "a file in a directory that exists and can be written to");
    }
    return new DemoOptions(nodes, racks, replication, dataBytes, blockBytes, bandwidth, seed,
        json.isEmpty() ? Optional.empty() : Optional.of(Path.of(json)));
  }

  private static String text(UnaryOperator<String> properties, String property, String defaultText) {
    String text = properties.apply(property);
    return text == null || text.isBlank() ? defaultText : text.trim();
  }

  private static long number(UnaryOperator<String> properties, String property, String defaultText, long min, long max)
      throws BadOptionException {
    String text = text(properties, property, defaultText);
    try {
      long value = Long.parseLong(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // Said below, together with the bounds.
    }
    throw new BadOptionException(property, text, "a whole number from " + min + " to " + max);
  }

  private static long size(UnaryOperator<String> properties, String property, String defaultText, long min, long max)
      throws BadOptionException {
    String text = text(properties, property, defaultText);
    Matcher form = SIZE.matcher(text.toLowerCase(Locale.ROOT));
    if (form.matches()) {
      int shift = form.group(2).isEmpty() ? 0 : 10 * (1 + "kmg".indexOf(form.group(2)));
      long number = Long.parseLong(form.group(1));
      if (number <= max >> shift && number << shift >= min) {
        return number << shift;
      }
    }
    throw new BadOptionException(property, text,
        "bytes with an optional suffix k, m or g, from " + min + " to " + max + ", such as " + defaultText);
  }
}
