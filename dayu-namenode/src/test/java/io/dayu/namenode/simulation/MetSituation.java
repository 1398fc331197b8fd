/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

/** What sequences are to meet, beside faults: {@link FaultCoverage} counts how many of them did. */
enum MetSituation {
  /** A NameNode knows of a corrupt replica of a block. */
  CORRUPT_REPLICA,
  /** A DataNode in service has no room for a block that waits, as the active NameNode knows. */
  NODE_WITHOUT_ROOM,
  /** A block waits since no DataNode that may get it has room. */
  BLOCK_WITHOUT_ROOM,
  /** Dayu has a corrupt replica deleted, since no other DataNode can take a copy of its block. */
  CORRUPT_MADE_ROOM,
  /** A block waits that belongs on archive storage. */
  COLD_BLOCK_WAITS,
  /** A DataNode receives blocks of two namespaces at once. */
  BOTH_NAMESPACES,
  /** A group that lacks one internal block, by the block map of the active NameNode. */
  ONE_LOST,
  /** A group that lacks two. */
  TWO_LOST,
  /** An internal block is on a leaving DataNode only. */
  LEAVING_INDEX,
  /** A NameNode knows of a corrupt internal block. */
  CORRUPT_INDEX,
  /** All internal blocks of a group are there, on too few racks. */
  TOO_FEW_RACKS,
  /** A rebuild that has received something loses one of its sources. */
  SOURCE_LOST,
  /** A NameNode that has become active adopts a rebuild. */
  REBUILD_ADOPTED,
  /** Dayu makes an internal block from others, and the DataNode has it. */
  REBUILT_BY_DAYU,
  /** Dayu copies an internal block, and the DataNode has it. */
  COPIED_BY_DAYU,
  /** Stock HDFS makes an internal block. */
  MADE_BY_STOCK
}
