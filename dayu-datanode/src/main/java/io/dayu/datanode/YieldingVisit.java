/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.SourceProto;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/**
 * How one transfer comes by its turns, one after the other: a place on our own link, then the promise of a source, then the turn. Of the transfer's
 * thread.
 */
final class YieldingVisit implements Turns.Visit {
  /** Of the link's time a turn takes so much, if its rate allows it. */
  private static final double TURN_SEC = 0.025;
  /** And not more than so much of what its rate brings: a source that closes sooner than in a second keeps none. */
  private static final double TURN_OF_RATE_SEC = 0.5;
  /** From a source that does not say whether its link is free, not more than so much. */
  private static final double UNASKED_TURN_OF_RATE_SEC = 0.25;
  /** Before a block is divided: its turns, which are alike, may come out somewhat smaller. */
  private static final long LEAST_TURN_BYTES = 16 * 1024;
  /** Rather than by a turn of less than so much of the others, a block ends with larger ones. */
  private static final double SHORT_TURN = 0.25;
  /** Turns are of whole units, as a rule of two chunks, each with a checksum. */
  private static final long UNIT_BYTES = 1024;
  /** A disk of 150 MB/s takes 56 ms for it, however fast the network. */
  private static final long MOST_TURN_BYTES = 8 << 20;
  private static final int PROBE_FRACTION = 4;
  private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  /** So long before a turn's end its source hears of it: the first bytes of the next one are on their way for about as long. */
  private static final double NEXT_TURN_SEC = 0.004;
  /** And with no more than so much of it to come. */
  private static final int NEXT_TURN_FRACTION = 6;
  /** To have been answered sooner is not to have waited. */
  private static final long LEAST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  /** Whoever was refused asks again after this at the soonest. */
  private static final long LEAST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  /** Our own link answers by then, unless its meter hangs. */
  private static final long LONGEST_ANSWER_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final double NANOS_PER_SEC = 1e9;

  /**
   * What all visits of this node share.
   *
   * @param in the turns on what it receives
   * @param linkBytesPerSec what its network carries in each direction
   * @param utilization up to which fraction of that recovery may fill it beyond its grants
   * @param turnNumbers the last number that a turn was asked for under
   */
  record Node(LinkTurns in, long linkBytesPerSec, DoubleSupplier utilization, SourceTurns sourceTurns, AtomicLong turnNumbers) {
  }

  private final LinkTurns in;
  private final long linkBytesPerSec;
  private final DoubleSupplier utilization;
  private final SourceTurns sourceTurns;
  private final AtomicLong turnNumbers;
  private final SourceProto source;
  private final SourceWatch watch;
  private final Pace pace;
  private final BooleanSupplier givesUp;
  private final Consumer<YieldingVisit> onClose;
  private long plannedBytes;
  private Wish turn;
  private long turnNumber;
  private SourceProto turnSource;
  private boolean promised;
  private long receivedBytes;
  private int refusals;
  private long pauseNanos;

  /**
   * @param source the one that the plan names
   * @param watch of that source
   * @param pace of the transfer
   * @param givesUp asked while waiting for a turn
   */
  YieldingVisit(Node node, SourceProto source, SourceWatch watch, Pace pace, BooleanSupplier givesUp, Consumer<YieldingVisit> onClose) {
    this.in = node.in();
    this.linkBytesPerSec = node.linkBytesPerSec();
    this.utilization = node.utilization();
    this.sourceTurns = node.sourceTurns();
    this.turnNumbers = node.turnNumbers();
    this.source = source;
    this.watch = watch;
    this.pace = pace;
    this.givesUp = givesUp;
    this.onClose = onClose;
  }

  SourceWatch watch() {
    return watch;
  }

  @Override
  public long turnBytes(long rateBytesPerSec, long restBytes) {
    boolean asks = sourceTurns.hasAgent(source);
    boolean probes = !asks && watch.wasBusy();
    long mostBytesPerSec = hasRoom() ? mostBytesPerSec(rateBytesPerSec) : rateBytesPerSec;
    double ofRate = mostBytesPerSec * (asks ? TURN_OF_RATE_SEC : UNASKED_TURN_OF_RATE_SEC);
    double mostBytes = Math.min(MOST_TURN_BYTES, Math.min(linkBytesPerSec * TURN_SEC, ofRate));
    mostBytes = Math.max(LEAST_TURN_BYTES, mostBytes / (probes ? PROBE_FRACTION : 1));
    // All alike, since each has to wait, however little it brings.
    double turns = Math.max(1, Math.ceil(restBytes / mostBytes - SHORT_TURN));
    plannedBytes = Math.max(1, Math.min(restBytes, (long) Math.ceil(restBytes / turns / UNIT_BYTES) * UNIT_BYTES));
    return plannedBytes;
  }

  @Override
  public boolean asksForEachTurn() {
    return true;
  }

  @Override
  public SourceProto await(List<SourceProto> alternates) throws InterruptedException {
    List<SourceProto> sources = new ArrayList<>(alternates);
    sources.add(0, source);
    while (!givesUp.getAsBoolean()) {
      long nowNanos = System.nanoTime();
      boolean begins = tryTurn(sources, nowNanos);
      long endNanos = System.nanoTime();
      if (endNanos - nowNanos >= LEAST_WAIT_NANOS) {
        pace.waited(endNanos - nowNanos, endNanos);
      }
      if (begins) {
        return turnSource;
      }
    }
    return null;
  }

  /** Waits for a place on our own link, then for one on the source's, each for a short time only: what is needed changes with time. */
  private boolean tryTurn(List<SourceProto> sources, long nowNanos) throws InterruptedException {
    LinkTurns.Need need = pace.need(nowNanos);
    double behindSec = pace.behindSec(nowNanos);
    turn = Wish.atTarget(need, behindSec, pace.hasReceived(), refusals, plannedBytes,
        nowNanos + waitNanos(need, behindSec, nowNanos), sources);
    in.wish(turn);
    if (!answer(turn)) {
      return false;
    }
    boolean begins = false;
    try {
      promised = isPromised(sources, need, behindSec);
      begins = promised && in.begin(turn, turnSource);
    } finally {
      if (!begins) {
        in.end(turn, 0);
        leaveSource(0);
      }
    }
    if (begins) {
      receivedBytes = 0;
      refusals = 0;
    } else if (isCountedBySource()) {
      refusals++;
    }
    if (!begins) {
      TimeUnit.NANOSECONDS.sleep(pauseNanos - (System.nanoTime() - nowNanos));
    }
    return begins;
  }

  /** Until the need is another one, but not for long. */
  private long waitNanos(LinkTurns.Need need, double behindSec, long nowNanos) {
    if (need == LinkTurns.Need.OVERDUE) {
      return LONGEST_WAIT_NANOS;
    }
    long changeNanos = need == LinkTurns.Need.AHEAD ? (long) (-behindSec * NANOS_PER_SEC) : pace.overdueInNanos(nowNanos);
    return Math.max(LEAST_RETRY_NANOS, Math.min(LONGEST_WAIT_NANOS, changeNanos));
  }

  private boolean answer(Wish wish) throws InterruptedException {
    try {
      return wish.answer.get(LONGEST_ANSWER_NANOS, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      in.withdraw(wish);
      in.end(wish, 0);
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      in.withdraw(wish);
      in.end(wish, 0);
      throw e;
    }
  }

  private boolean isPromised(List<SourceProto> sources, LinkTurns.Need need, double behindSec) throws InterruptedException {
    turnNumber = turnNumbers.incrementAndGet();
    pauseNanos = LEAST_RETRY_NANOS;
    SourceTurns.Reply reply = sourceTurns.ask(toAsk(sources), turnNumber, need, behindSec, plannedBytes);
    turnSource = reply.source();
    if (reply.answer() != SourceTurns.Answer.NOBODY) {
      return reply.answer() == SourceTurns.Answer.YES;
    }
    if (!turnSource.equals(source)) {
      return false;
    }
    turnNumber = 0;
    return isFreeAsFarAsSeen(need, behindSec);
  }

  /** The one that nobody else is asking; where nobody else wishes to ask any, the others as well. */
  private List<SourceProto> toAsk(List<SourceProto> sources) {
    if (in.isWaitedFor()) {
      return List.of(turn.source);
    }
    List<SourceProto> all = new ArrayList<>(sources);
    Collections.rotate(all, -sources.indexOf(turn.source));
    return all;
  }

  /** Of a source that cannot be asked no more is taken than is granted. */
  private boolean isFreeAsFarAsSeen(LinkTurns.Need need, double behindSec) {
    long freeInNanos = watch.freeInNanos(System.nanoTime());
    long dueInNanos = need == LinkTurns.Need.AHEAD ? (long) (-behindSec * NANOS_PER_SEC) : 0;
    pauseNanos = Math.max(LEAST_RETRY_NANOS, Math.min(LONGEST_PAUSE_NANOS, Math.max(freeInNanos, dueInNanos)));
    return need == LinkTurns.Need.OVERDUE || need == LinkTurns.Need.DUE && freeInNanos <= 0;
  }

  private boolean hasSourcesPromise() {
    return promised && turnNumber != 0;
  }

  private void leaveSource(long bytes) {
    if (hasSourcesPromise()) {
      sourceTurns.ended(turnSource, turnNumber, bytes);
    }
    promised = false;
  }

  @Override
  public boolean isCountedBySource() {
    return turnNumber != 0;
  }

  @Override
  public void received(int bytes) {
    in.received(turn, bytes);
    receivedBytes += bytes;
    if (plannedBytes - receivedBytes <= Math.min(plannedBytes / NEXT_TURN_FRACTION, linkBytesPerSec * NEXT_TURN_SEC) && hasSourcesPromise()) {
      sourceTurns.endsSoon(turnSource, turnNumber, Math.max(plannedBytes, receivedBytes));
      promised = false;
      in.sourceIsFree(turn);
    }
  }

  @Override
  public void ended(long bytes) {
    boolean asked = turnNumber != 0;
    LinkTurns.Ended ended = in.end(turn, bytes);
    long nowNanos = System.nanoTime();
    pace.received(bytes, nowNanos);
    leaveSource(bytes);
    if (bytes > 0 && !asked) {
      watch.turned(bytes, ended.allBytes(), ended.tookNanos(), ThreadLocalRandom.current().nextDouble(), nowNanos);
    }
  }

  @Override
  public long bandwidthBytesPerSec(long rateBytesPerSec) {
    long most = mostBytesPerSec(rateBytesPerSec);
    return hasRoom() ? most : Math.min(most, pace.bandwidthBytesPerSec(plannedBytes, System.nanoTime()));
  }

  /** Whether more than the grant may be had: of sources that say so for each turn. */
  private boolean hasRoom() {
    return sourceTurns.hasAgent(source) && in.hasRoom();
  }

  private long mostBytesPerSec(long rateBytesPerSec) {
    return Math.max(rateBytesPerSec, (long) (utilization.getAsDouble() * linkBytesPerSec));
  }

  @Override
  public void close() {
    onClose.accept(this);
  }
}
