/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.options;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds nodes by the names that people and programs have for them: as the listing, the trace or dfsadmin's report has
 * it; with any port or none, since a node has several; a host with or without its domain; or a host whose address is
 * the node's. A name that may be several nodes is refused. Single-threaded.
 */
final class NodeNames {
  private static final int SHOWN = 3;

  /** How a name was found to be a node's. */
  enum How {
    AS_IT_IS("as it is"), OTHER_PORT("without its port"), DOMAIN("without a domain"), ADDRESS("by its address");

    private final String words;

    How(String words) {
      this.words = words;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  /** A node that was found. */
  record Match(int node, How how) {
  }

  private final List<String> nodes;
  /** By how a name is found, nodes by the form of their names that is then compared, in lower case. */
  private final Map<How, Map<String, Set<Integer>>> known = new HashMap<>();
  private boolean resolves = true;

  /** Of nodes that have one name each. */
  NodeNames(List<String> nodes) {
    this(nodes, nodes.stream().map(List::of).toList());
  }

  /**
   * Of nodes that may have several.
   *
   * @param nodes for messages
   * @param names by node
   */
  NodeNames(List<String> nodes, List<List<String>> names) {
    this.nodes = nodes;
    for (How how : How.values()) {
      known.put(how, new HashMap<>());
    }
    for (int node = 0; node < nodes.size(); node++) {
      for (String name : names.get(node)) {
        String host = host(name);
        add(How.AS_IT_IS, name.toLowerCase(Locale.ROOT), node);
        add(How.OTHER_PORT, host, node);
        add(How.DOMAIN, host.contains(".") ? label(host) : host + ".", node);
      }
    }
  }

  private void add(How how, String key, int node) {
    known.get(how).computeIfAbsent(key, name -> new LinkedHashSet<>()).add(node);
  }

  /** Without its port, in lower case. */
  private static String host(String name) {
    return name.toLowerCase(Locale.ROOT).replaceFirst("(?<=[^:]):\\d+$", "");
  }

  /** The name of a host without its domain; an address has none. */
  private static String label(String host) {
    return isAddress(host) ? host : host.substring(0, host.indexOf('.'));
  }

  private static boolean isAddress(String host) {
    return host.matches("[0-9.]+|.*:.*");
  }

  /**
   * The node with this name, or null if there is none.
   *
   * @param where the option or place that names it, for messages
   */
  Match find(String where, String name) {
    String host = host(name);
    // A bare name is that of a host of any domain, and that with a domain may be known by its bare name.
    String other = host.contains(".") ? label(host) + "." : host;
    Map<How, String> keys =
        Map.of(How.AS_IT_IS, name.toLowerCase(Locale.ROOT), How.OTHER_PORT, host, How.DOMAIN, other);
    for (How how : List.of(How.AS_IT_IS, How.OTHER_PORT, How.DOMAIN)) {
      Set<Integer> found = known.get(how).get(keys.get(how));
      if (found != null) {
        return new Match(only(where, name, found), how);
      }
    }
    Set<Integer> found = addresses(host).stream()
        .flatMap(address -> known.get(How.OTHER_PORT).getOrDefault(address, Set.of()).stream())
        .collect(Collectors.toSet());
    return found.isEmpty() ? null : new Match(only(where, name, found), How.ADDRESS);
  }

  /** The node that is called so; none is refused. */
  int require(String where, String name) {
    Match found = find(where, name);
    if (found == null) {
      throw new BadInputException(
          where + ": no such node; there are " + nodes.size() + ", such as " + some(nodes.stream()));
    }
    return found.node;
  }

  private int only(String where, String name, Set<Integer> found) {
    if (found.size() > 1) {
      throw new BadInputException(where + ": " + name + " may be any of " + found.size()
          + " nodes, expected one of them, such as " + some(found.stream().map(nodes::get)));
    }
    return found.iterator().next();
  }

  private static String some(Stream<String> names) {
    return names.limit(SHOWN).collect(Collectors.joining(", "));
  }

  /**
   * The answer of the name service. The first host that it does not know ends the look-ups, since each may take
   * seconds.
   */
  private Set<String> addresses(String host) {
    if (!resolves || isAddress(host)) {
      return Set.of();
    }
    try {
      return Arrays.stream(InetAddress.getAllByName(host)).map(InetAddress::getHostAddress).collect(Collectors.toSet());
    } catch (UnknownHostException e) {
      resolves = false;
      return Set.of();
    }
  }

  /** Whether a node may have this name, before all nodes are known. */
  static Predicate<String> mayBe(String name) {
    NodeNames one = new NodeNames(List.of(name));
    Set<String> addresses = one.addresses(host(name));
    return node -> addresses.contains(host(node)) || one.find(name, node) != null;
  }
}
