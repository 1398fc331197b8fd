/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the NameNode's Dayu has logged of single transfers since this was made: who was asked to pull which block from
 * whom, and which transfers were cancelled or failed. For one thread.
 */
final class TransferLog implements AutoCloseable {
  private static final Pattern ASKED =
      Pattern.compile(".*BLOCK\\* Dayu: ask (\\S+) to pull blk_(\\d+)_\\d+ from (\\S+) .*");
  private static final Pattern MOVED =
      Pattern.compile(".*BLOCK\\* Dayu: blk_(\\d+)_\\d+ on (\\S+) goes on from (\\S+) instead of .*");
  private static final Pattern CANCELLED =
      Pattern.compile(".*BLOCK\\* Dayu: cancelling blk_(\\d+)_\\d+ on (\\S+): (.*)");
  private static final Pattern FAILED = Pattern.compile(".*BLOCK\\* Dayu: blk_(\\d+)_\\d+ on (\\S+) failed: (.*)");
  private static final Pattern ENDED = Pattern.compile(
      ".*BLOCK\\* Dayu: (?:cancelling )?blk_(\\d+)_\\d+ (?:on|has been (received) by) (\\S+?)(?:(?: failed)?: (.*))?");

  private final LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger("io.dayu.namenode"));

  /** A block that a target was to pull from a source; both by UUID. */
  record Pull(long blockId, String source, String target) {
  }

  /** A transfer that is over, and why. */
  record End(long blockId, String target, String why) {
  }

  /** All that targets were asked to pull, in order, and from which sources they then went on. */
  List<Pull> pulls() {
    List<Pull> pulls = new ArrayList<>();
    log.getOutput().lines().forEach(line -> {
      Matcher asked = ASKED.matcher(line);
      Matcher moved = MOVED.matcher(line);
      if (asked.matches()) {
        pulls.add(new Pull(Long.parseLong(asked.group(2)), asked.group(3), asked.group(1)));
      } else if (moved.matches()) {
        pulls.add(new Pull(Long.parseLong(moved.group(1)), moved.group(3), moved.group(2)));
      }
    });
    return pulls;
  }

  List<Pull> pullsOf(long blockId) {
    return pulls().stream().filter(pull -> pull.blockId == blockId).toList();
  }

  List<End> cancelled() {
    return ends(CANCELLED);
  }

  List<End> failed() {
    return ends(FAILED);
  }

  /** What was cancelled, has failed or was received, in order. */
  List<End> ended() {
    return log.getOutput().lines().map(ENDED::matcher).filter(Matcher::matches)
        .filter(end -> end.group(2) != null || end.group(4) != null)
        .map(end -> new End(Long.parseLong(end.group(1)), end.group(3),
            end.group(2) != null ? end.group(2) : end.group(4)))
        .toList();
  }

  private List<End> ends(Pattern pattern) {
    return log.getOutput().lines().map(pattern::matcher).filter(Matcher::matches)
        .map(end -> new End(Long.parseLong(end.group(1)), end.group(2), end.group(3))).toList();
  }

  @Override
  public void close() {
    log.stopCapturing();
  }
}
