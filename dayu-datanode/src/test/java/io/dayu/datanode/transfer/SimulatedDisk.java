/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * A disk that serves one request after the other, and what it reads for clients, and reads or writes for recovery, by a
 * clock of its own.
 */
final class SimulatedDisk {
  static final int SECONDS = 200;
  static final int CLIENT_BYTES = 1 << 20;
  private static final long MS = 1_000_000;
  private static final long STEP_NS = MS / 10;
  private static final long DURATION_NS = SECONDS * 1_000 * MS;
  /** After so many recovery asks whether to go on. */
  private static final int PART_BYTES = 128 << 10;
  /** After a part a client asks for the next one. */
  private static final long THINK_NS = MS;

  /**
   * What a disk is like, and what it is asked for at once for recovery.
   *
   * @param positionNs for which the heads move to what lies elsewhere
   */
  record Hardware(long positionNs, double nsPerByte, int readAheadBytes) {
    static final Hardware USUAL = new Hardware(6 * MS, 10, 128 << 10);

    long readNs(int bytes) {
      return positionNs + (long) (bytes * nsPerByte);
    }
  }

  /** What recovery does. What it writes at any time, the kernel writes in parts of this size. */
  enum Recovery {
    READS(false, PART_BYTES), READS_IN_TURNS(true, PART_BYTES),
    WRITES(false, 1 << 20), WRITES_IN_TURNS(true, VolumeShaper.BURST_BYTES);

    private final boolean shaped;
    private final int partBytes;

    Recovery(boolean shaped, int partBytes) {
      this.shaped = shaped;
      this.partBytes = partBytes;
    }

    private boolean writes() {
      return this == WRITES || this == WRITES_IN_TURNS;
    }
  }

  /**
   * Who reads {@link #CLIENT_BYTES} each.
   *
   * @param perSec how many come at random moments
   * @param parts in which each of these reads its bytes, one after the other
   * @param busy how many others read on as soon as their last read has ended
   */
  record Clients(double perSec, int parts, int busy) {
    static final Clients NONE = new Clients(0, 1, 0);
  }

  /**
   * A read of the disk, or a write of recovery.
   *
   * @param stream of what lies one after the other; below 0 = a client's
   * @param parts that the client reads after this one
   * @param cameNs when the first of them came
   */
  private record Request(int stream, int bytes, int parts, long cameNs) {
  }

  private final Hardware hardware;
  private final Clients clients;
  private final Random random;
  private final Recovery recovery;
  private final VolumeShaper shaper;
  private final Deque<Request> queue = new ArrayDeque<>();
  /** What clients ask for later, and when. */
  private final Deque<Request> next = new ArrayDeque<>();
  private final Deque<Long> nextNs = new ArrayDeque<>();
  private final List<Double> clientMs = new ArrayList<>();
  private final VolumeShaper.Stream[] streams;
  /** The streams of recovery; first that which has read or written the least. */
  private final Integer[] order;
  private boolean inOrder = true;
  private final long[] doneBytes;
  /** What has been read ahead for each read. */
  private final int[] aheadBytes;
  /** When each stream tries next; Long.MAX_VALUE while it reads or writes. */
  private final long[] retryNs;
  private final boolean[] hasTurn;
  private final long beganNs;
  private long nowNs;
  private long freeNs;
  private int head = Integer.MIN_VALUE;
  private int clientCount;
  private long recoveredBytes;
  private long recoveryNs;

  /** @param count how many streams of recovery there are */
  SimulatedDisk(Hardware hardware, int count, Recovery recovery, Clients clients, long seed) {
    this.hardware = hardware;
    this.recovery = recovery;
    this.clients = clients;
    random = new Random(seed);
    beganNs = random.nextLong();
    nowNs = beganNs;
    freeNs = beganNs;
    shaper = new VolumeShaper(this::readsInFlight, ns -> {}, beganNs);
    streams = new VolumeShaper.Stream[count];
    Arrays.setAll(streams, i -> new VolumeShaper.Stream());
    order = new Integer[count];
    Arrays.setAll(order, i -> i);
    doneBytes = new long[count];
    aheadBytes = new int[count];
    retryNs = new long[count];
    hasTurn = new boolean[count];
  }

  private int readsInFlight() {
    return recovery.writes() ? (int) queue.stream().filter(request -> request.stream() < 0).count() : queue.size();
  }

  SimulatedDisk run() {
    double nextClientMs = wait(random);
    for (int i = 0; i < clients.busy(); i++) {
      addClient(1);
    }
    while (nowNs - beganNs < DURATION_NS) {
      while (nowNs - beganNs >= nextClientMs * MS) {
        addClient(clients.parts());
        nextClientMs += wait(random);
      }
      while (!nextNs.isEmpty() && nowNs - nextNs.peek() >= 0) {
        nextNs.remove();
        queue.add(next.remove());
      }
      serve();
      recover();
      nowNs += STEP_NS;
    }
    return this;
  }

  private void addClient(int parts) {
    queue.add(new Request(-1 - clientCount++, CLIENT_BYTES / parts, parts - 1, nowNs));
  }

  private double wait(Random from) {
    return -Math.log(1 - from.nextDouble()) * 1_000 / clients.perSec();
  }

  /** One begins when it is the first; it is gone when the time has come. */
  private void serve() {
    while (!queue.isEmpty() && nowNs - freeNs >= duration(queue.peek())) {
      Request done = queue.poll();
      long durationNs = duration(done);
      freeNs += durationNs;
      head = done.stream();
      if (done.stream() >= 0) {
        recoveryNs += durationNs;
        if (recovery.writes()) {
          wrote(done.stream());
        } else {
          aheadBytes[done.stream()] += done.bytes();
          recovered(done.stream());
        }
      } else if (done.parts() > 0) {
        nextNs.add(nowNs + THINK_NS);
        next.add(new Request(done.stream(), done.bytes(), done.parts() - 1, done.cameNs()));
      } else {
        clientMs.add((double) (nowNs - done.cameNs()) / MS);
        if (clients.busy() > 0) {
          addClient(1);
        }
      }
    }
    if (queue.isEmpty()) {
      freeNs = nowNs;
    }
  }

  private long duration(Request request) {
    return hardware.readNs(request.bytes()) - (request.stream() == head ? hardware.positionNs() : 0);
  }

  /** The next part of a read has been read and sent. */
  private void recovered(int i) {
    aheadBytes[i] -= PART_BYTES;
    hasTurn[i] = recovery.shaped && shaper.goesOn(streams[i], PART_BYTES, nowNs);
    done(i);
  }

  /** The next part is there at once. */
  private void wrote(int i) {
    if (recovery.shaped) {
      shaper.wrote(streams[i], recovery.partBytes, nowNs);
      hasTurn[i] = shaper.goesOn(streams[i], 0, nowNs);
    }
    done(i);
  }

  private void done(int i) {
    recoveredBytes += recovery.partBytes;
    doneBytes[i] += recovery.partBytes;
    inOrder = false;
    retryNs[i] = 0;
  }

  private void recover() {
    if (!inOrder) {
      Arrays.sort(order, Comparator.comparingLong(i -> doneBytes[i]));
      inOrder = true;
    }
    for (int i : order) {
      if (retryNs[i] != Long.MAX_VALUE && nowNs - beganNs >= retryNs[i]) {
        go(i, nowNs - beganNs);
      }
    }
  }

  private void go(int i, long sinceNs) {
    long waitNs = 0;
    if (recovery.shaped) {
      hasTurn[i] = hasTurn[i] || shaper.tryTurn(streams[i], nowNs) == 0;
      waitNs = hasTurn[i] ? shaper.tryBurst(streams[i], nowNs) : VolumeShaper.POLL_NS;
    }
    if (waitNs > 0) {
      retryNs[i] = sinceNs + waitNs;
    } else if (recovery.writes()) {
      shaper.begins(streams[i], nowNs);
      retryNs[i] = Long.MAX_VALUE;
      queue.add(new Request(i, recovery.partBytes, 0, nowNs));
    } else if (aheadBytes[i] > 0) {
      recovered(i);
    } else {
      retryNs[i] = Long.MAX_VALUE;
      queue.add(new Request(i, hardware.readAheadBytes(), 0, nowNs));
    }
  }

  /** How long clients' reads took: this share of them took no longer. */
  double clientMs(double share) {
    double[] sorted = clientMs.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return sorted[(int) (sorted.length * share)];
  }

  double recoveredMbPerSec() {
    return recoveredBytes / 1e6 / SECONDS;
  }

  /** Of its time, for recovery. */
  double recoveryShare() {
    return (double) recoveryNs / DURATION_NS;
  }
}
