/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.model.PlanningParameters;
import io.dayu.model.TaskTable;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

import java.util.List;

/**
 * What jqwik draws snapshots from, odd corners on purpose: nodes without bandwidth, room or streams, full exclusion,
 * empty blocks, blocks far larger than a timeslot, lost sources, leaving nodes, weights. Static methods only, hence
 * thread-safe.
 */
final class SnapshotDrafts {
  private static final int MAX_NODES = 40;

  private SnapshotDrafts() {
  }

  /** Small snapshots: up to 40 nodes, 100 different blocks and 60 running transfers, mostly far fewer. */
  static Arbitrary<SnapshotDraft> any() {
    var counts = Combinators.combine(uniform(1, MAX_NODES), Arbitraries.oneOf(Arbitraries.just(0), uniform(1, 5)),
        uniform(1, 3), uniform(1, 100), uniform(1, 8)).as(Tuple::of);
    return Combinators.combine(counts, parameters(), number(0, 2000), bytes(30), nodes(), blocks(),
        Arbitraries.oneOf(Arbitraries.just(List.<SnapshotDraft.Transfer>of()), transfers()))
        .as((count, parameters, lead, link, nodes, blocks, transfers) -> new SnapshotDraft(parameters, lead,
            count.get1(), count.get2(), count.get3(), link, count.get4(), nodes, blocks, count.get5(), transfers));
  }

  private static Arbitrary<PlanningParameters> parameters() {
    Arbitrary<Long> bucket = seldom(Arbitraries.just(0L), bytes(24));
    Arbitrary<Double> ratio = seldom(Arbitraries.of(0.0, 1.0), Arbitraries.just(0.2));
    Arbitrary<Double> eviction = Arbitraries.frequencyOf(Tuple.of(4, Arbitraries.just(0.0)),
        Tuple.of(4, Arbitraries.doubles().between(0, 2).ofScale(2)),
        Tuple.of(1, Arbitraries.just(PlanningParameters.MAX_EVICTION_FACTOR)));
    return Combinators.combine(number(1, 10_000), bucket, ratio, Arbitraries.of(false, true), eviction, number(1, 5000))
        .as((horizon, width, beta, pressed, factor, minTimeslot) -> new PlanningParameters(3000, horizon, width, beta,
            pressed, factor, minTimeslot));
  }

  private static Arbitrary<List<SnapshotDraft.Node>> nodes() {
    Arbitrary<Double> share =
        seldom(Arbitraries.of(0.0, 1e-6, 0.01), Arbitraries.oneOf(Arbitraries.just(1.0), share()));
    Arbitrary<Integer> streams = seldom(Arbitraries.integers().between(0, 2), Arbitraries.just(1000));
    Arbitrary<List<Long>> room =
        seldom(number(0, 1 << 20), Arbitraries.just(1L << 62)).list().ofMinSize(1).ofMaxSize(3);
    Arbitrary<Boolean> accepts = seldom(Arbitraries.just(false), Arbitraries.just(true));
    Arbitrary<Double> weight = Arbitraries.frequencyOf(Tuple.of(6, Arbitraries.just(1.0)),
        Tuple.of(1, Arbitraries.just(1 / 16.0)), Tuple.of(1, uniform(1, 10).map(tenths -> tenths / 10.0)));
    Arbitrary<Double> write = Arbitraries.frequencyOf(Tuple.of(30, Arbitraries.just(2.0)), Tuple.of(1, share()));
    var status = Combinators.combine(accepts, seldom(Arbitraries.just(true), Arbitraries.just(false)), weight,
        Arbitraries.oneOf(Arbitraries.just(0), uniform(0, 3))).as(Tuple::of);
    return Combinators.combine(share, share, write, uniform(0, MAX_NODES), status, streams, streams, room)
        .as((in, out, disks, rack, state, incoming, outgoing, roomBytes) -> new SnapshotDraft.Node(in, out, disks, rack,
            state.get1(), state.get2(), state.get3(), state.get4(), incoming, outgoing, roomBytes))
        .list().ofMinSize(1).ofMaxSize(MAX_NODES);
  }

  private static Arbitrary<List<SnapshotDraft.Block>> blocks() {
    Arbitrary<Double> size =
        seldom(Arbitraries.of(0.0, 0.001, 1000.0), Arbitraries.oneOf(Arbitraries.just(1.0), share()));
    Arbitrary<Integer> copies = seldom(Arbitraries.integers().between(0, MAX_NODES), Arbitraries.just(1));
    Arbitrary<Integer> types = seldom(Arbitraries.integers().between(0, 7), Arbitraries.just(7));
    Arbitrary<Integer> risk = Arbitraries.integers().between(0, TaskTable.RISK_LEVELS - 1);
    Arbitrary<List<Integer>> excluded = seldom(row(MAX_NODES), row(2));
    Arbitrary<List<Integer>> forbidden = seldom(row(MAX_NODES), row(1));
    var constraints = Combinators.combine(Arbitraries.of(false, true), types, excluded, forbidden).as(Tuple::of);
    Arbitrary<SnapshotDraft.Block> copied = Combinators.combine(size, risk, copies, row(3), constraints)
        .as((share, level, lacks, holders, rest) -> new SnapshotDraft.Block(share, level, lacks, rest.get1(),
            rest.get2(), 1, holders, rest.get3(), rest.get4()));
    Arbitrary<SnapshotDraft.Block> rebuilt = Combinators.combine(size, risk, Arbitraries.integers().between(0, 3),
        uniform(2, 6), row(14), constraints).as(
            (share, level, lacks, width, holders, rest) -> new SnapshotDraft.Block(
                share / width, level, lacks, rest.get1(), rest.get2(), width, holders, rest.get3(), rest.get4()));
    return Arbitraries.oneOf(copied.list().ofMaxSize(100),
        Arbitraries.frequencyOf(Tuple.of(1, copied), Tuple.of(2, rebuilt)).list().ofMaxSize(100));
  }

  private static Arbitrary<List<SnapshotDraft.Transfer>> transfers() {
    Arbitrary<Integer> source = seldom(Arbitraries.just(-1), uniform(0, MAX_NODES));
    Arbitrary<Double> rate = seldom(Arbitraries.of(0.0, 1.0), share().map(share -> share / 20));
    return Combinators.combine(uniform(0, 100), source, uniform(0, MAX_NODES), share(), rate, uniform(1, 3))
        .as(SnapshotDraft.Transfer::new).list().ofMaxSize(60);
  }

  private static Arbitrary<Double> share() {
    return uniform(0, 1000).map(share -> share / 1000.0);
  }

  private static Arbitrary<List<Integer>> row(int maxSize) {
    return uniform(0, MAX_NODES).list().ofMaxSize(maxSize);
  }

  /** Any number of up to the given bits, each number of bits as likely as another. */
  private static Arbitrary<Long> bytes(int bits) {
    return Combinators.combine(Arbitraries.integers().between(0, bits).withDistribution(RandomDistribution.uniform()),
        Arbitraries.longs().between(0, 1L << bits)).as((some, value) -> value >> bits - some);
  }

  private static Arbitrary<Long> number(long min, long max) {
    return Arbitraries.longs().between(min, max).withDistribution(RandomDistribution.uniform());
  }

  private static Arbitrary<Integer> uniform(int min, int max) {
    return Arbitraries.integers().between(min, max).withDistribution(RandomDistribution.uniform());
  }

  private static <T> Arbitrary<T> seldom(Arbitrary<T> odd, Arbitrary<T> usual) {
    return Arbitraries.frequencyOf(Tuple.of(9, usual), Tuple.of(1, odd));
  }
}
