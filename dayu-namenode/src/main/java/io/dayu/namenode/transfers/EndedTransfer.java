/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.namenode.status.FailureCause;

/**
 * A transfer that {@link TransferTracker} has ended, for its caller to act on. Immutable.
 *
 * @param attempt the transfer; the tracker has it no longer
 * @param result how it ended
 * @param cause why it failed; null if it did not
 * @param why the same for people, as its agent reports it or as it is known here; null if it did not fail
 * @param targetFailed whether its target is to be left out for this block for a while
 */
public record EndedTransfer(Attempt attempt, Result result, FailureCause cause, String why,
    boolean targetFailed) {
  /** How a transfer ends. */
  public enum Result {
    /** The replica was made. */
    FINISHED,
    /** There is no replica, and it was wanted. */
    FAILED,
    /** It was cancelled, or nobody needs it any more. */
    WITHDRAWN
  }
}
