/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The node that an admin wants to lose, as he calls it: {@code ip:port}, {@code ip}, or a host name with or without
 * port. Immutable.
 *
 * @param given what he wrote
 * @param hosts IP addresses or names that it may stand for
 * @param port null for any
 */
record LostNode(String given, List<String> hosts, String port) implements Predicate<String> {
  private static final int NODES_SHOWN = 3;

  static LostNode of(String given) {
    int colon = given.lastIndexOf(':');
    String host = colon < 0 ? given : given.substring(0, colon);
    List<String> hosts = List.of(host);
    if (host.chars().anyMatch(Character::isLetter)) {
      try {
        hosts = Arrays.stream(InetAddress.getAllByName(host)).map(InetAddress::getHostAddress).toList();
      } catch (UnknownHostException e) {
        // Then it must be called so in the listing, or is refused as not found there.
      }
    }
    return new LostNode(given, hosts, colon < 0 ? null : given.substring(colon + 1));
  }

  /** Whether a node of a listing, {@code ip:port}, may be it. */
  @Override
  public boolean test(String node) {
    int colon = node.lastIndexOf(':');
    return hosts.contains(node.substring(0, colon)) && (port == null || port.equals(node.substring(colon + 1)));
  }

  /** Its index among the nodes of a listing. */
  int in(List<String> nodes) {
    int[] found = IntStream.range(0, nodes.size()).filter(node -> test(nodes.get(node))).toArray();
    if (found.length == 1) {
      return found[0];
    }
    String some = (found.length == 0 ? nodes.stream() : Arrays.stream(found).mapToObj(nodes::get)).limit(NODES_SHOWN)
        .collect(Collectors.joining(", "));
    throw new BadInputException("--lost = " + given + (found.length == 0
        ? ": no such node in the listing, which names " + nodes.size() + " by ip:port, such as " + some
        : ": the listing has " + found.length + " such nodes, expected one of them by ip:port, such as " + some));
  }
}
