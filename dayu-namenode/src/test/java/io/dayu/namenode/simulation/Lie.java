/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

/** What a lying agent does besides claiming {@link #CLAIMED_BYTES_PER_SEC} of bandwidth and no foreground. */
enum Lie {
  /** Nothing else: it recovers as well as it can. */
  CLAIMS_BANDWIDTH,
  /** It says that a transfer is done as soon as it begins it, and has nothing. */
  CLAIMS_DONE,
  /** It says that it receives a little of each block, and completes none. */
  FAKES_PROGRESS,
  /** It ends each transfer at once, and says that the source failed. */
  BLAMES_SOURCES,
  /** It ends each transfer at once, and says that it cannot write the replica. */
  CANNOT_WRITE,
  /** It drops transfers, and says that it has obeyed its commands. */
  DROPS_TRANSFERS,
  /** In each activation it first claims to receive whatever lacks replicas, from a DataNode that does not exist. */
  CLAIMS_TRANSFERS,
  /** It serves no reads. */
  SERVES_NOTHING;

  /** The most that a report may name. */
  static final long CLAIMED_BYTES_PER_SEC = 1L << 40;
}
