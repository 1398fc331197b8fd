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
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;

/** Agents of sources that say what they are told to say, and remember what they were asked. Safe for use by all threads. */
final class FakeSourceTurns implements SourceTurns {
  /** One question. */
  record Asked(List<String> sources, long turn, LinkTurns.Need need, double behindSec, long bytes) {
  }

  /** One turn that was said to have ended. */
  record Told(String source, long turn, long bytes) {
  }

  /** What else happens before the answer. */
  interface Meanwhile {
    void run() throws InterruptedException;
  }

  private final List<Asked> asked = new ArrayList<>();
  private final List<Told> told = new ArrayList<>();
  private final List<Told> toldSoon = new ArrayList<>();
  private final Queue<Answer> first = new ArrayDeque<>();
  private final Answer then;
  private volatile Meanwhile meanwhile = () -> { };
  private volatile Runnable midTurn = () -> { };
  private volatile boolean lastPromises;
  /** Those who could not be asked. */
  private final Set<SourceProto> without = new HashSet<>();

  /** @param then what they say in the end */
  FakeSourceTurns(Answer then, Answer... first) {
    this.then = then;
    this.first.addAll(List.of(first));
  }

  /** Whether from now on whoever is asked last is the one to promise, not the first. */
  void lastPromises(boolean last) {
    lastPromises = last;
  }

  void meanwhile(Meanwhile what) {
    meanwhile = what;
  }

  /** What else happens when a turn is about to end, on the thread that receives it, from now on. */
  void midTurn(Runnable what) {
    midTurn = what;
  }

  @Override
  public synchronized boolean hasAgent(SourceProto source) {
    return !without.contains(source);
  }

  @Override
  public Reply ask(List<SourceProto> sources, long turn, LinkTurns.Need need, double behindSec, long bytes) throws InterruptedException {
    synchronized (this) {
      asked.add(new Asked(sources.stream().map(SourceProto::getDatanodeUuid).toList(), turn, need, behindSec, bytes));
    }
    meanwhile.run();
    synchronized (this) {
      Answer answer = first.isEmpty() ? then : first.poll();
      if (answer == Answer.NOBODY) {
        without.add(sources.get(0));
      } else {
        without.remove(sources.get(answer == Answer.YES && lastPromises ? sources.size() - 1 : 0));
      }
      return new Reply(answer, sources.get(answer == Answer.YES && lastPromises ? sources.size() - 1 : 0));
    }
  }

  @Override
  public synchronized void ended(SourceProto source, long turn, long bytes) {
    told.add(new Told(source.getDatanodeUuid(), turn, bytes));
  }

  @Override
  public void endsSoon(SourceProto source, long turn, long bytes) {
    synchronized (this) {
      toldSoon.add(new Told(source.getDatanodeUuid(), turn, bytes));
    }
    midTurn.run();
  }

  /** Turns that were said to end soon. */
  synchronized List<Told> toldSoon() {
    return List.copyOf(toldSoon);
  }

  synchronized List<Asked> asked() {
    return List.copyOf(asked);
  }

  synchronized List<Told> told() {
    return List.copyOf(told);
  }
}
