/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import java.util.List;

/**
 * How a block stands at one moment. Immutable.
 *
 * @param key block id and generation stamp
 * @param numBytes length
 * @param live replicas on live nodes in service
 * @param expected replicas that it should have
 * @param pendingTargets UUIDs of DataNodes that are to receive a copy
 * @param pendingSinceMs when HDFS last began to await one of them, in milliseconds since the epoch; 0 if it awaits none
 * @param file whether its file is being written
 * @param queued whether it is in a low-redundancy queue
 * @param needed what planning knows of it, or null if it needs no copy now
 */
public record BlockDetails(BlockKey key, long numBytes, int live, int expected, List<String> pendingTargets,
    long pendingSinceMs, FileState file, boolean queued, WaitingBlock needed) {
  /** How far the writing of a file is. */
  public enum FileState {
    /** The block is being written: its replicas do not count before they are final. */
    OPEN,
    /** DataNodes may not have reported all internal blocks of this group yet. */
    JUST_CLOSED,
    CLOSED
  }
}
