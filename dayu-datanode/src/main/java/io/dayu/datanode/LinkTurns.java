/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.SourceProto;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * The turns that recovery takes on one direction of this node's link, beside foreground. Safe for use by all threads.
 *
 * <p>While foreground is on the link ({@link LinkWatch}) no turn begins, unless it goes on for so long that it is a stream, and there is one at
 * a time. Those that are overdue begin all the same, one at a time of their own. Who wishes for one and does not come first is not woken.
 *
 * <p>At the target, first of the others come transfers that have received something, so that few are under way at once and the rest can still go
 * elsewhere; of them those that were not refused since their last turn, then whoever is furthest behind. No source is the first choice of two at a time: it
 * could not say yes to both, and another one might. At the source the latest wish comes first: whoever has waited for long has likely begun another turn.
 */
final class LinkTurns {
  /** Turns on the link at once: of two, a request that comes in would have to wait for both. */
  static final int MAX_TURNS = 1;
  /** A turn under way for longer does not keep others from theirs, nor does a place that is not used. */
  private static final long LONG_TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  /**
   * Foreground that has not paused for so long is a stream, whose end is not worth waiting for: grants are what the plan leaves beside it.
   */
  static final long STREAM_NANOS = TimeUnit.SECONDS.toNanos(1);
  /** Whoever has not said for so long that a turn has ended will not do so any more. */
  private static final long LOST_TURN_NANOS = TimeUnit.SECONDS.toNanos(5);
  /** So long after the early end of a turn all of its bytes are through, as a rule. */
  private static final long SETTLED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  /** And so long after that, readings tell again what is foreground. */
  private static final long KNOWN_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  /** A reading of the meter that is older says nothing of now. */
  private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** How a transfer stands against its grant. */
  enum Need {
    /** So far behind that it waits for nobody but others like it. */
    OVERDUE,
    /** It has not had its grant yet: it waits for foreground and for others' turns. */
    DUE,
    /** It has had its grant: it takes more only where the link carries less than recovery may fill. */
    AHEAD
  }

  /**
   * What became of a turn.
   *
   * @param tookNanos from its begin
   * @param allBytes what all turns on the link brought meanwhile
   */
  record Ended(long tookNanos, long allBytes) {
  }

  private record EarlyEnd(long bytes, long settledNanos) {
  }

  private final LinkWatch watch;
  private final LongSupplier meter;
  private final DoubleSupplier utilization;
  private final int maxPlaces;
  private final boolean beginsAtOnce;
  private final LongSupplier clock;

  private final List<Wish> waiting = new ArrayList<>();
  private final Set<Wish> places = new HashSet<>();
  private long doneBytes;
  /** Early ends of turns, the oldest first. */
  private final Deque<EarlyEnd> settling = new ArrayDeque<>();
  private boolean busyAtEarlyEnd;
  private long earlyEndNanos;
  /** So many of a turn may be through that have not been received; zero = nobody says what is received. */
  private long largestPacketBytes;
  private long readNanos;
  /** When the link was last seen without foreground, or had not been looked at before. */
  private long pausedNanos;
  private boolean hasRead;

  /**
   * @param utilization up to which fraction of the link those may fill it that have had their grants, foreground included; 0 = they wait
   * @param maxPlaces how many may have been answered yes at once; those that are overdue count each other only
   * @param beginsAtOnce whether a turn begins with the answer, as at its source; else by {@link #begin}, as at its target
   */
  LinkTurns(LinkWatch watch, LongSupplier meter, DoubleSupplier utilization, int maxPlaces, boolean beginsAtOnce) {
    this(watch, meter, utilization, maxPlaces, beginsAtOnce, System::nanoTime);
  }

  /** With another clock than {@link System#nanoTime}. */
  LinkTurns(LinkWatch watch, LongSupplier meter, DoubleSupplier utilization, int maxPlaces, boolean beginsAtOnce, LongSupplier clock) {
    this.watch = watch;
    this.meter = meter;
    this.utilization = utilization;
    this.maxPlaces = maxPlaces;
    this.beginsAtOnce = beginsAtOnce;
    this.clock = clock;
  }

  /** Answered at once, or by a later {@link #tick} or end of a turn. Whoever is answered yes must begin or end a turn. */
  void wish(Wish wish) {
    List<Wish> answered = new ArrayList<>();
    synchronized (this) {
      waiting.add(wish);
      serve(clock.getAsLong(), answered);
    }
    answered.forEach(each -> each.answer.complete(true));
  }

  /** No longer waits. Whoever has been answered yes already must end the turn. */
  void withdraw(Wish wish) {
    synchronized (this) {
      waiting.remove(wish);
    }
    wish.answer.complete(false);
  }

  /**
   * Begins a turn that was promised, unless foreground has come, others were quicker or the place was lost; then the place is free for others.
   *
   * @param promiser the source that has promised it
   */
  boolean begin(Wish wish, SourceProto promiser) {
    List<Wish> answered = new ArrayList<>();
    boolean begins;
    synchronized (this) {
      long nowNanos = clock.getAsLong();
      // A turn without a place would count as under way for ever.
      begins = places.contains(wish) && admits(wish.need, nowNanos);
      if (begins) {
        wish.source = promiser;
        beginTurn(wish, nowNanos);
      } else {
        places.remove(wish);
        serve(nowNanos, answered);
      }
    }
    answered.forEach(each -> each.answer.complete(true));
    return begins;
  }

  /** The source of a turn has been told of its end: it can be asked for the next one. */
  void sourceIsFree(Wish wish) {
    List<Wish> answered = new ArrayList<>();
    synchronized (this) {
      wish.source = null;
      serve(clock.getAsLong(), answered);
    }
    answered.forEach(each -> each.answer.complete(true));
  }

  /** So much more of a turn has come, in one packet: who receives tells it all along, who sends does not know. */
  synchronized void received(Wish wish, int bytes) {
    largestPacketBytes = Math.max(largestPacketBytes, bytes);
    wish.receivedBytes += bytes;
  }

  /** Ends a turn or gives back a place. */
  Ended end(Wish wish, long bytes) {
    return end(wish, bytes, 0);
  }

  /** Ends a turn for others, a few milliseconds before all of {@code bytes} are through. */
  void endSoon(Wish wish, long bytes) {
    end(wish, bytes, bytes);
  }

  private Ended end(Wish wish, long bytes, long comingBytes) {
    List<Wish> answered = new ArrayList<>();
    Ended ended;
    synchronized (this) {
      long nowNanos = clock.getAsLong();
      if (places.remove(wish) && wish.begun) {
        doneBytes += bytes;
        if (comingBytes == 0) {
          read(nowNanos);
        } else {
          settling.add(new EarlyEnd(comingBytes, nowNanos + SETTLED_NANOS));
          read(nowNanos, settlingBytes(nowNanos));
          busyAtEarlyEnd = watch.isBusy();
          earlyEndNanos = nowNanos;
        }
      }
      ended = new Ended(wish.begun ? nowNanos - wish.begunNanos : 0, doneBytes - wish.doneBefore);
      serve(nowNanos, answered);
    }
    answered.forEach(each -> each.answer.complete(true));
    return ended;
  }

  /** To be called every few milliseconds while anybody wishes for turns or has one. */
  void tick() {
    List<Wish> answered = new ArrayList<>();
    List<Wish> refused = new ArrayList<>();
    synchronized (this) {
      long nowNanos = clock.getAsLong();
      read(nowNanos);
      for (Iterator<Wish> wishes = waiting.iterator(); wishes.hasNext();) {
        Wish wish = wishes.next();
        if (nowNanos - wish.untilNanos >= 0) {
          wishes.remove();
          refused.add(wish);
        }
      }
      for (Iterator<Wish> turns = places.iterator(); turns.hasNext();) {
        Wish turn = turns.next();
        if (nowNanos - turn.placeSinceNanos >= LOST_TURN_NANOS) {
          turns.remove();
          // If more has come after all, it passes for foreground: the safe side.
          doneBytes += turn.receivedBytes;
        }
      }
      serve(nowNanos, answered);
    }
    answered.forEach(each -> each.answer.complete(true));
    refused.forEach(each -> each.answer.complete(false));
  }

  /** Whether nobody wishes for a turn or has one. */
  synchronized boolean isIdle() {
    return waiting.isEmpty() && places.isEmpty();
  }

  /** Forgets what was read, as after a time without ticks. */
  synchronized void forget() {
    watch.forget();
    hasRead = false;
    settling.clear();
    busyAtEarlyEnd = false;
  }

  /** Whether anybody wishes for a turn and has no place. */
  synchronized boolean isWaitedFor() {
    return !waiting.isEmpty();
  }

  /** Whether there is room for more than the grants. */
  synchronized boolean hasRoom() {
    return isBelowUtilization();
  }

  /** Bytes of all turns that have ended. */
  synchronized long doneBytes() {
    return doneBytes;
  }

  private void serve(long nowNanos, List<Wish> answered) {
    for (Wish first = first(nowNanos); first != null; first = first(nowNanos)) {
      if (placesTaken(nowNanos, first.need) >= maxPlaces || !admits(first.need, nowNanos)) {
        return;
      }
      waiting.remove(first);
      first.source = sourceFor(first, nowNanos);
      first.placeSinceNanos = nowNanos;
      places.add(first);
      if (beginsAtOnce) {
        beginTurn(first, nowNanos);
      }
      answered.add(first);
    }
  }

  private Wish first(long nowNanos) {
    Wish first = null;
    for (Wish wish : waiting) {
      if ((first == null || wish.isBefore(first)) && (wish.sources.isEmpty() || sourceFor(wish, nowNanos) != null)) {
        first = wish;
      }
    }
    return first;
  }

  /** Of its sources one that is neither asked nor sending already, if possible not the one that has refused it last; null if there is none. */
  private SourceProto sourceFor(Wish wish, long nowNanos) {
    int count = wish.sources.size();
    for (int i = 0; i < count; i++) {
      SourceProto source = wish.sources.get((wish.refusals + i) % count);
      if (places.stream().noneMatch(place -> waitsFor(wish.need, place) && source.equals(place.source) && !isLongTurn(place, nowNanos))) {
        return source;
      }
    }
    return null;
  }

  private static boolean isLongTurn(Wish place, long nowNanos) {
    return place.begun && nowNanos - place.begunNanos >= LONG_TURN_NANOS;
  }

  private void beginTurn(Wish wish, long nowNanos) {
    wish.begun = true;
    wish.begunNanos = nowNanos;
    wish.doneBefore = doneBytes;
  }

  private boolean admits(Need need, long nowNanos) {
    if (turnsOnLink(nowNanos, need) >= MAX_TURNS) {
      return false;
    }
    if (need == Need.OVERDUE) {
      return true;
    }
    if (!hasRead || nowNanos - readNanos >= FRESH_NANOS) {
      read(nowNanos);
    }
    if (need == Need.DUE) {
      return !isBusy(nowNanos) || nowNanos - pausedNanos >= STREAM_NANOS;
    }
    return !isBusy(nowNanos) && isBelowUtilization();
  }

  private boolean isBelowUtilization() {
    double fillUpTo = utilization.getAsDouble();
    return fillUpTo > 0 && watch.isBelow(fillUpTo);
  }

  private int placesTaken(long nowNanos, Need need) {
    int count = 0;
    for (Wish place : places) {
      count += waitsFor(need, place) && nowNanos - place.placeSinceNanos < LONG_TURN_NANOS ? 1 : 0;
    }
    return count;
  }

  /** Who receives sees a turn's end late, when all is through and kept: by then the next one can be on its way. */
  private int turnsOnLink(long nowNanos, Need need) {
    int count = 0;
    for (Wish turn : places) {
      long longestNanos = beginsAtOnce ? LONG_TURN_NANOS : Math.min(LONG_TURN_NANOS, watch.nanosFor(turn.bytes));
      count += turn.begun && waitsFor(need, turn) && nowNanos - turn.begunNanos < longestNanos ? 1 : 0;
    }
    return count;
  }

  private static boolean waitsFor(Need need, Wish other) {
    return need != Need.OVERDUE || other.need == Need.OVERDUE;
  }

  private boolean isTurnUnderWay(long nowNanos) {
    return places.stream().anyMatch(turn -> turn.begun && nowNanos - turn.begunNanos < LONG_TURN_NANOS);
  }

  /** What was seen at an early end holds until as much can be known again. */
  private boolean isBusy(long nowNanos) {
    return watch.isBusy() || busyAtEarlyEnd && nowNanos - earlyEndNanos < SETTLED_NANOS + KNOWN_AGAIN_NANOS;
  }

  private long settlingBytes(long nowNanos) {
    while (!settling.isEmpty() && nowNanos - settling.getFirst().settledNanos() >= 0) {
      settling.removeFirst();
    }
    return settling.stream().mapToLong(EarlyEnd::bytes).sum();
  }

  private void read(long nowNanos) {
    read(nowNanos, 0);
  }

  /** @param comingBytes at the early end of a turn, the bytes of all that may still be on their way */
  private void read(long nowNanos, long comingBytes) {
    long leastBytes = doneBytes - settlingBytes(nowNanos);
    long mostBytes = doneBytes;
    for (Wish turn : places) {
      if (turn.begun) {
        long restBytes = Math.max(0, turn.bytes - turn.receivedBytes);
        leastBytes += turn.receivedBytes;
        mostBytes += turn.receivedBytes + (largestPacketBytes == 0 ? restBytes : Math.min(largestPacketBytes, restBytes));
      }
    }
    watch.read(meter.getAsLong(), mostBytes, leastBytes, comingBytes, nowNanos);
    // While a turn is under way, or has just ended early, it may be its bytes.
    if (!hasRead || !isTurnUnderWay(nowNanos) && !isBusy(nowNanos) && (comingBytes > 0 || settlingBytes(nowNanos) == 0)) {
      pausedNanos = nowNanos;
    }
    readNanos = nowNanos;
    hasRead = true;
  }
}
