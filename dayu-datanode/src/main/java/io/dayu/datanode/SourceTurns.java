/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.SourceProto;

import java.util.List;

/** Turns at other nodes' links, asked for at their agents. Safe for use by all threads. */
interface SourceTurns {
  /** What a source's agent says. */
  enum Answer {
    /** The turn is under way there until {@link #ended} or {@link #endsSoon}. */
    YES,
    /** Not now, or it has not been asked, for want of a thread here: to be asked again. */
    NO,
    /** There is no agent that could be asked, or none for who is overdue and finds no thread to ask on. */
    NOBODY
  }

  /**
   * What came of asking.
   *
   * @param source who has said so: the one that promises the turn, else the first of those who were asked
   */
  record Reply(Answer answer, SourceProto source) {
  }

  /** Whether it has an agent to ask: as far as is known, so true until that was found not to answer. */
  boolean hasAgent(SourceProto source);

  /**
   * Asks for a turn and waits for the answer, a quarter of a second as a rule and a second and a half at most. Where the first source does not say
   * at once that it is free the next one is asked as well, and so on; the first to promise the turn gives it, and the others are told so.
   *
   * @param sources whom to ask, at least one; where none promises the turn the first one's answer counts
   * @param turn the asker's own number for it, not used before
   */
  Reply ask(List<SourceProto> sources, long turn, LinkTurns.Need need, double behindSec, long bytes) throws InterruptedException;

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
