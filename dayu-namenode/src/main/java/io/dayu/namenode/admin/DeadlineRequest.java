/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import io.dayu.conf.Deadline;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The argument of {@code -deadline}: {@code <node|all> <time|none> [<alpha at most>]}. Immutable.
 *
 * @param deadline empty if there is to be none any more
 */
record DeadlineRequest(String node, Optional<Deadline> deadline) {
  /** What was over for this time is no longer shown. */
  private static final Duration SHOWN = Duration.ofDays(1);
  private static final Pattern NODE = Pattern.compile("[\\p{Alnum}._:\\[\\]-]{1,260}");

  /** @throws IllegalArgumentException with what is expected */
  static DeadlineRequest parse(String argument, Instant now, ZoneId zone) {
    String[] words = argument.trim().split("\\s+");
    if (words.length < 2 || words.length > 3 || !NODE.matcher(words[0]).matches()) {
      throw new IllegalArgumentException("-deadline needs <node|all> <time|none> and takes the highest alpha, as in "
          + "-deadline all 06:00 0.85, but there is '" + argument + "'");
    }
    if (words[1].equals("none")) {
      return new DeadlineRequest(words[0], Optional.empty());
    }
    double maxUtilization = Deadline.DEFAULT_MAX_UTILIZATION;
    if (words.length == 3) {
      try {
        maxUtilization = Double.parseDouble(words[2]);
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("'" + words[2] + "' is no alpha, such as 0.85", e);
      }
    }
    return new DeadlineRequest(words[0], Optional.of(Deadline.of(words[0], words[1], maxUtilization, now, zone)));
  }

  /** These deadlines with this one instead of an earlier one of the same DataNode, and without those long over. */
  List<Deadline> addedTo(List<Deadline> deadlines, Instant now) {
    List<Deadline> all = new ArrayList<>(deadlines);
    all.removeIf(other -> other.isSameNode(node) || other.until().plus(SHOWN).isBefore(now));
    deadline.ifPresent(all::add);
    return all;
  }
}
