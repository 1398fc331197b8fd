/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import io.dayu.admin.AdminException;
import io.dayu.admin.ExitCode;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A block as an admin names it: {@code blk_<id>_<generation stamp>} as HDFS prints it, {@code blk_<id>}, or the id
 * alone. Immutable.
 *
 * @param id the block's id; negative for a block group
 * @param generationStamp its generation stamp, or null if it was not named
 */
record BlockName(long id, Long generationStamp) {
  private static final Pattern FORM = Pattern.compile("(?:blk_)?(-?\\d{1,19})(?:_(\\d{1,19}))?");

  /** @throws AdminException if it is no block's name */
  static BlockName parse(String text) throws AdminException {
    Matcher matcher = FORM.matcher(text);
    try {
      if (matcher.matches()) {
        return new BlockName(Long.parseLong(matcher.group(1)),
            matcher.group(2) == null ? null : Long.valueOf(matcher.group(2)));
      }
    } catch (NumberFormatException e) {
      // More than a long holds; the message is below.
    }
    throw new AdminException(ExitCode.REFUSED,
        "'" + text + "' is no block; expected blk_<number>, as hdfs fsck prints it, or the path of a file");
  }

  /**
   * Refuses a generation stamp that the block does not have.
   *
   * @param present the block that the NameNode has of this id, with its generation stamp
   */
  void checkIs(String present) throws AdminException {
    if (generationStamp != null && !present.endsWith("_" + generationStamp)) {
      throw new AdminException(ExitCode.REFUSED, "this NameNode has no block blk_" + id + "_" + generationStamp
          + "; with another generation stamp it has " + present);
    }
  }
}
