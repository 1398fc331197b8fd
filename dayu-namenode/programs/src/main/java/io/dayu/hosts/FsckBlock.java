/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A block of a closed file, as {@code fsck -files -blocks -locations} lists it. Immutable.
 *
 * @param id as in {@code blk_1073741825}
 * @param live replicas that count
 * @param addresses of the DataNodes that have a replica
 */
record FsckBlock(String id, int live, Set<String> addresses) {
  private static final Pattern LINE = Pattern.compile(":(blk_-?\\d+)_\\d+ len=\\d+ Live_repl=(\\d+)(.*)");
  private static final Pattern ADDRESS = Pattern.compile("DatanodeInfoWithStorage\\[([\\d.]+):");

  FsckBlock {
    addresses = Set.copyOf(addresses);
  }

  /** Blocks without any replica are not among them. */
  static List<FsckBlock> all(String text) {
    return text.lines().map(LINE::matcher).filter(Matcher::find)
        .map(line -> new FsckBlock(line.group(1), Integer.parseInt(line.group(2)), addresses(line.group(3)))).toList();
  }

  private static Set<String> addresses(String locations) {
    Set<String> addresses = new TreeSet<>();
    Matcher address = ADDRESS.matcher(locations);
    while (address.find()) {
      addresses.add(address.group(1));
    }
    return addresses;
  }
}
