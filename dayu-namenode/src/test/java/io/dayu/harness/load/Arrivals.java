/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.load;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The endless sequence of operations that a profile and its seed stand for, in the order of their moments. Not
 * thread-safe. Knows no cluster: nothing that happens there changes what comes next.
 *
 * <p>Reads and writes are two Poisson processes of constant rates; which node they go to follows the nodes' shares of
 * the regime in which they arrive ({@link NodeChoice}).
 */
final class Arrivals {
  private final LoadProfile profile;
  private final int nodes;
  private final NodeChoice choice;
  private final SplittableRandom reads;
  private final SplittableRandom writes;
  private long regimeEndNs;
  private double nextReadNs;
  private double nextWriteNs;
  private int written;

  Arrivals(LoadProfile profile, int nodes) {
    this.profile = profile;
    this.nodes = nodes;
    SplittableRandom root = new SplittableRandom(profile.seed());
    this.choice = new NodeChoice(profile, nodes, root.split());
    this.reads = root.split();
    this.writes = root.split();
    this.regimeEndNs = regimeNs();
    nextReadNs = gapNs(reads, profile.readsPerSec(nodes));
    nextWriteNs = gapNs(writes, profile.writesPerSec(nodes));
  }

  Operation next() {
    boolean read = nextReadNs <= nextWriteNs;
    long atNs = (long) (read ? nextReadNs : nextWriteNs);
    while (atNs >= regimeEndNs) {
      regimeEndNs += regimeNs();
      choice.nextRegime();
    }
    if (read) {
      nextReadNs += gapNs(reads, profile.readsPerSec(nodes));
      return new Operation.Read(atNs, choice.nodeToReadFrom(reads), reads.nextInt(profile.filesPerNode()),
          reads.nextInt(profile.piecesPerFile()));
    }
    nextWriteNs += gapNs(writes, profile.writesPerSec(nodes));
    return new Operation.Write(atNs, written++, choice.nodesToWriteTo(writes));
  }

  private long regimeNs() {
    return TimeUnit.MILLISECONDS.toNanos(profile.regimeMs());
  }

  private static double gapNs(SplittableRandom random, double perSec) {
    return perSec > 0 ? random.nextExponential() / perSec * TimeUnit.SECONDS.toNanos(1) : Double.POSITIVE_INFINITY;
  }
}
