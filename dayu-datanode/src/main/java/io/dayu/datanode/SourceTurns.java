/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.SourceProto;

/** Turns at other nodes' links, asked for at their agents. Safe for use by all threads. */
interface SourceTurns {
  /** What a source's agent says. */
  enum Answer {
    /** The turn is under way there until {@link #ended} or {@link #endsSoon}. */
    YES,
    /** Not now: to be asked again. */
    NO,
    /** There is no agent that could be asked. */
    NOBODY
  }

  /**
   * Asks for a turn and waits for the answer, a quarter of a second as a rule and a second and a half at most.
   *
   * @param turn the asker's own number for it, not used before
   */
  Answer ask(SourceProto source, long turn, LinkTurns.Need need, double behindSec, long bytes) throws InterruptedException;

  /**
   * Says how much a turn brought that was answered {@link Answer#YES}.
   */
  void ended(SourceProto source, long turn, long bytes);

  /**
   * Says, in place of {@link #ended}, a few milliseconds before the end of such a turn how much it will have brought, so that the source can begin
   * another one by then.
   */
  void endsSoon(SourceProto source, long turn, long bytes);
}
