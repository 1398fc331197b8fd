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
import java.util.concurrent.CompletableFuture;

/** Somebody's wish for a turn, until the turn has ended. What changes is guarded by the monitor of its {@link LinkTurns}. */
final class Wish {
  final LinkTurns.Need need;
  final double behindSec;
  final boolean goesOn;
  final int refusals;
  final long bytes;
  final long untilNanos;
  final List<SourceProto> sources;
  /** Completed on any thread; false if it was waited for too long. */
  final CompletableFuture<Boolean> answer = new CompletableFuture<>();
  /** At the target the one to be asked, once answered yes; then the one that has promised the turn, until it is told of its end. */
  SourceProto source;
  long placeSinceNanos;
  long begunNanos;
  long doneBefore;
  long receivedBytes;
  boolean begun;

  private Wish(LinkTurns.Need need, double behindSec, boolean goesOn, int refusals, long bytes, long untilNanos, List<SourceProto> sources) {
    this.need = need;
    this.behindSec = behindSec;
    this.goesOn = goesOn;
    this.refusals = refusals;
    this.bytes = bytes;
    this.untilNanos = untilNanos;
    this.sources = sources;
  }

  /**
   * At the target.
   *
   * @param behindSec how much of its grant it has not had yet, as time; negative for one that has had more
   * @param goesOn whether it has received something already
   * @param refusals how often it was refused since its last turn: those who were not go first, for they may be luckier
   * @param bytes how much it is to take
   * @param untilNanos when it no longer waits, by {@link System#nanoTime}
   * @param sources whom it may take it from, at least one
   */
  static Wish atTarget(LinkTurns.Need need, double behindSec, boolean goesOn, int refusals, long bytes, long untilNanos, List<SourceProto> sources) {
    return new Wish(need, behindSec, goesOn, refusals, bytes, untilNanos, sources);
  }

  /** At the source; as {@link #atTarget}. */
  static Wish atSource(LinkTurns.Need need, double behindSec, long bytes, long untilNanos) {
    return new Wish(need, behindSec, false, 0, bytes, untilNanos, List.of());
  }

  /** Whether it comes first, {@code other} having come earlier. */
  boolean isBefore(Wish other) {
    if (need != other.need) {
      return need.compareTo(other.need) < 0;
    }
    if (need == LinkTurns.Need.OVERDUE) {
      return behindSec > other.behindSec;
    }
    if (sources.isEmpty()) {
      return true;
    }
    if (goesOn != other.goesOn) {
      return goesOn;
    }
    return refusals != other.refusals ? refusals < other.refusals : behindSec > other.behindSec;
  }
}
