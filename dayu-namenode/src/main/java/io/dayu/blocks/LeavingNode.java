/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A DataNode that is decommissioning or entering maintenance, and the blocks without which it cannot leave. Immutable.
 *
 * @param uuid the DataNode's UUID
 * @param name as HDFS's own commands name it
 * @param maintenance whether it enters maintenance; else it is decommissioning
 * @param alive whether it sends heartbeats; one that is dead cannot serve its replicas
 * @param seconds since when it leaves
 * @param replicas all replicas that it has
 * @param left what it waits for, by what has to happen
 * @param groups those of them that are erasure-coded groups; bytes count one internal block of each
 * @param openFiles paths of files that are written, some of those that hold it up
 */
public record LeavingNode(String uuid, String name, boolean maintenance, boolean alive, long seconds, long replicas,
    Map<Cause, Left> left, Left groups, List<String> openFiles) {

  /** What has to happen before a block no longer needs the DataNode, as HDFS sees it. */
  public enum Cause {
    /** A copy is under way. */
    COPYING("copies are under way"),
    /** A copy is to be made. */
    WAITING("wait for a copy"),
    /** The block has enough replicas, but on too few racks or upgrade domains. */
    TOO_FEW_RACKS("wait for a copy on another rack or upgrade domain"),
    /** The file is being written, and its last block has too few replicas elsewhere. */
    OPEN_FILE("are the last blocks of files that are being written"),
    /** A replica counts as excess and was not deleted, so that it is neither used nor replaced. */
    EXCESS("have a replica that counts as excess and is not deleted"),
    /** No replica can be read, or too few internal blocks of a group: corrupt, missing, or on dead DataNodes. */
    UNREADABLE("have no replica that can be read"),
    /** No DataNode may take a copy: no room on a storage type, or too few DataNodes or racks. */
    NO_TARGET("fit on no DataNode: no room on their storage type, or too few DataNodes or racks");

    private final String text;

    Cause(String text) {
      this.text = text;
    }

    /** For people, after a number of blocks. */
    public String text() {
      return text;
    }

    /** Whether recovery makes it go away by itself. */
    public boolean isCopied() {
      return this == COPYING || this == WAITING || this == TOO_FEW_RACKS;
    }
  }

  /**
   * Blocks of one kind.
   *
   * @param example one of them; empty if there is none
   */
  public record Left(long blocks, long bytes, String example) {
    public static final Left NONE = new Left(0, 0, "");

    public Left plus(long moreBytes, String block) {
      return new Left(blocks + 1, bytes + moreBytes, example.isEmpty() ? block : example);
    }
  }

  public LeavingNode {
    Map<Cause, Left> copy = new EnumMap<>(Cause.class);
    copy.putAll(left);
    left = Collections.unmodifiableMap(copy);
    openFiles = List.copyOf(openFiles);
  }

  /** Bytes that recovery is to copy. */
  public long copiedBytes() {
    return left.entrySet().stream().filter(one -> one.getKey().isCopied()).mapToLong(one -> one.getValue().bytes)
        .sum();
  }

  /** Blocks that recovery is to copy. */
  public long copiedBlocks() {
    return left.entrySet().stream().filter(one -> one.getKey().isCopied()).mapToLong(one -> one.getValue().blocks)
        .sum();
  }

  /** Blocks that something else holds up. */
  public long blockedBlocks() {
    return left.values().stream().mapToLong(Left::blocks).sum() - copiedBlocks();
  }

  /** Those of them that do not come free by themselves. */
  public long stuckBlocks() {
    return left.getOrDefault(Cause.NO_TARGET, Left.NONE).blocks + left.getOrDefault(Cause.UNREADABLE, Left.NONE).blocks;
  }
}
