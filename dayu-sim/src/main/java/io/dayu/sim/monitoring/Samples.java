/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.monitoring;

import io.dayu.sim.FormatException;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What was measured of each node, and what its readers have to say. Filled by one reader; not thread-safe. */
public final class Samples {
  private final Map<String, Series> sent = new LinkedHashMap<>();
  private final Map<String, Series> received = new LinkedHashMap<>();
  private final Set<String> leftOut;
  private final Set<String> foundLeftOut = new TreeSet<>();
  private final List<String> remarks = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  /** Of all nodes. */
  public Samples() {
    this(Set.of());
  }

  /** @param leftOut nodes that are not taken */
  public Samples(Set<String> leftOut) {
    this.leftOut = leftOut;
  }

  /** Whether a node that a reader has found is not to be taken. */
  boolean leavesOut(String node) {
    if (leftOut.contains(node)) {
      foundLeftOut.add(node);
      return true;
    }
    return false;
  }

  /** Those of the nodes not to be taken that were found. */
  public Set<String> foundLeftOut() {
    return foundLeftOut;
  }

  Series sent(String node) {
    return sent.computeIfAbsent(node, name -> new Series());
  }

  Series received(String node) {
    return received.computeIfAbsent(node, name -> new Series());
  }

  Map<String, Series> sent() {
    return sent;
  }

  Map<String, Series> received() {
    return received;
  }

  /** Both directions of a node. */
  List<Series> both(String node) {
    return List.of(sent(node), received(node));
  }

  /** The nodes of which something is known, or should be. */
  public Set<String> nodes() {
    Set<String> nodes = new TreeSet<>(sent.keySet());
    nodes.addAll(received.keySet());
    return nodes;
  }

  /** Lines that say what was skipped or interpreted. */
  public List<String> remarks() {
    return remarks;
  }

  /** Lines in which the source itself says that its answer is incomplete. */
  public List<String> warnings() {
    return warnings;
  }

  void remark(String format, Object... values) {
    remarks.add(String.format(Locale.ROOT, format, values));
  }

  void warn(String text) {
    warnings.add(text);
  }

  /** For messages. */
  static String time(double seconds) {
    return Instant.ofEpochSecond((long) seconds).toString();
  }

  /** For messages, as an option takes it: 15s, 10m. */
  static String span(double seconds) {
    long whole = Math.round(seconds);
    return whole >= 60 && whole % 60 == 0 ? whole / 60 + "m"
        : Math.abs(seconds - whole) < 1e-3 ? whole + "s"
        : Math.round(1000 * seconds) + "ms";
  }

  /** A number as text, or why it is none: at least 0, and finite. */
  static double number(String text, String where) throws FormatException {
    double value = Double.NaN;
    try {
      value = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      // Refused below.
    }
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw new FormatException(where + ": expected a number at least 0, found '" + text + "'");
    }
    return value;
  }
}
