/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.SourceTurns.Answer;
import io.dayu.datanode.SourceTurns.Reply;
import io.dayu.protocol.DayuProtos.AskProto;
import io.dayu.protocol.DayuProtos.SourceProto;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A turn that is being asked for: of one source after the other, until one of them promises it. Of the thread that asks, but for {@link #call}, which
 * is of those that call.
 */
final class Asking {
  /** Whoever has been called for so long and has not answered is silent: three times its patience. */
  private static final long SILENT_NANOS = TimeUnit.MILLISECONDS.toNanos(RpcSourceTurns.RPC_TIMEOUT_MS / 2);
  /** After the first one's answer: the others' patience, and some time for the way. */
  private static final long LONGEST_FOR_OTHERS_NANOS = TimeUnit.MILLISECONDS.toNanos(RpcSourceTurns.PATIENCE_MS + 100);

  private final RpcSourceTurns turns;
  private final List<SourceProto> sources;
  private final AskProto ask;
  private final long aloneNanos;
  private final BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();
  /** Asked, not heard of, and not given up. */
  private final Set<SourceProto> silent = new LinkedHashSet<>();
  // Guarded by the monitor.
  private final Map<SourceProto, Long> calledNanos = new HashMap<>();
  private boolean over;

  /**
   * @param sources whom to ask, at least one
   * @param aloneNanos after which a second source is asked as well
   */
  Asking(RpcSourceTurns turns, List<SourceProto> sources, AskProto ask, long aloneNanos) {
    this.turns = turns;
    this.sources = sources;
    this.ask = ask;
    this.aloneNanos = aloneNanos;
  }

  /** Asks and waits, as {@link SourceTurns#ask}. To be called once. */
  Reply reply() throws InterruptedException {
    SourceProto first = sources.get(0);
    Iterator<SourceProto> others = sources.subList(1, sources.size()).iterator();
    Answer firstAnswer = Answer.NOBODY;
    long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RpcSourceTurns.RPC_TIMEOUT_MS);
    try {
      askOf(first);
      for (int pending = 1; pending > 0;) {
        long leftNanos = endNanos - System.nanoTime();
        Reply reply = replies.poll(others.hasNext() ? Math.min(leftNanos, aloneNanos) : leftNanos, TimeUnit.NANOSECONDS);
        if (reply != null) {
          pending--;
          silent.remove(reply.source());
          if (reply.answer() == Answer.YES) {
            return reply;
          }
          if (reply.source() == first) {
            firstAnswer = reply.answer();
            endNanos = Math.min(endNanos, System.nanoTime() + LONGEST_FOR_OTHERS_NANOS);
          }
        } else if (leftNanos <= 0) {
          return giveUp(first, firstAnswer);
        }
        pending += askNext(others) ? 1 : 0;
      }
      return new Reply(firstAnswer, first);
    } finally {
      leave();
    }
  }

  /** Asks the next one that is not being asked anyway; false if there is none. */
  private boolean askNext(Iterator<SourceProto> others) {
    while (others.hasNext()) {
      SourceProto next = others.next();
      if (!turns.isAsked(next)) {
        askOf(next);
        return true;
      }
    }
    return false;
  }

  private void askOf(SourceProto source) {
    if (!turns.mayAsk(source)) {
      replies.add(new Reply(Answer.NOBODY, source));
    } else if (turns.onOtherThread(source, () -> call(source))) {
      silent.add(source);
    } else {
      replies.add(new Reply(answerOfTheUnheard(), source));
    }
  }

  /** To lack a thread says nothing of the source: it is to be asked again, but not waited for by who waits for nobody. */
  private Answer answerOfTheUnheard() {
    return ask.getNeed() == AskProto.Need.OVERDUE ? Answer.NOBODY : Answer.NO;
  }

  private void call(SourceProto source) {
    synchronized (this) {
      if (over) {
        return;
      }
      calledNanos.put(source, System.nanoTime());
    }
    Answer answer = turns.call(source, ask);
    boolean late;
    synchronized (this) {
      late = over;
      if (!late) {
        replies.add(new Reply(answer, source));
      }
    }
    if (late) {
      giveBack(source, answer);
    }
  }

  /** Who has been called and has not answered for so long is not asked again soon; who was waiting for a thread of ours is. */
  private synchronized Reply giveUp(SourceProto first, Answer firstAnswer) {
    if (!silent.contains(first)) {
      return new Reply(firstAnswer, first);
    }
    Long sinceNanos = calledNanos.get(first);
    if (sinceNanos == null || System.nanoTime() - sinceNanos < SILENT_NANOS) {
      return new Reply(answerOfTheUnheard(), first);
    }
    silent.remove(first);
    turns.silent(first);
    return new Reply(Answer.NOBODY, first);
  }

  /** Nobody waits any more for those who have been called: they need not promise the turn, nor keep it if they have. */
  private void leave() {
    synchronized (this) {
      over = true;
    }
    for (Reply late = replies.poll(); late != null; late = replies.poll()) {
      silent.remove(late.source());
      giveBack(late.source(), late.answer());
    }
    silent.stream().filter(calledNanos::containsKey).forEach(source -> giveBack(source, Answer.YES));
  }

  private void giveBack(SourceProto source, Answer answer) {
    if (answer == Answer.YES) {
      turns.ended(source, ask.getTurn().getNumber(), 0);
    }
  }
}
