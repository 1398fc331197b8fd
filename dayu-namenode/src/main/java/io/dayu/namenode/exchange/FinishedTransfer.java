/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.exchange;

/**
 * A transfer that has ended, as its agent reports it.
 *
 * @param attempt the transfer's id
 * @param failedSource UUID of the source that has failed; null if none has
 * @param message why it has ended, in printable text
 * @param wastedBytes received and thrown away
 */
public record FinishedTransfer(long attempt, Outcome outcome, String failedSource, String message, long wastedBytes) {
  /** How it has ended. */
  public enum Outcome {
    /** Finalized and announced. What is true is what the block map has. */
    DONE,
    CANCELLED,
    LEASE_EXPIRED,
    /** The source refused, broke off or stalled. */
    SOURCE_FAILED,
    /** The source sent bytes that do not match their checksums. */
    SOURCE_CORRUPT,
    TARGET_FAILED,
    /** The target has to delete another internal block of the group first. */
    TARGET_DELETES,
    /** Failed in a way that only a later version of Dayu knows. */
    UNKNOWN
  }
}
