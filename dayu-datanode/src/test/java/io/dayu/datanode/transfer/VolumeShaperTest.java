/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** On a disk with one queue, by a clock that the seed draws. */
class VolumeShaperTest {
  private static final long SEED = 20261128;
  private static final long MS = 1_000_000;
  private static final double MIN_BYTES_PER_SEC = 4e6;

  private final long startNs = new Random(SEED).nextLong();
  private long nowNs = startNs;
  private int inFlight;
  private boolean unknown;
  private final VolumeShaper shaper = new VolumeShaper(this::readsInFlight, MIN_BYTES_PER_SEC, ns -> {}, nowNs);
  private final VolumeShaper.Read first = new VolumeShaper.Read();
  private final VolumeShaper.Read second = new VolumeShaper.Read();

  private int readsInFlight() throws IOException {
    if (unknown) {
      throw new IOException("gone");
    }
    return inFlight;
  }

  private void begin(VolumeShaper.Read read) {
    assertFalse(shaper.goesOn(read, 0, nowNs));
    assertEquals(0, shaper.tryTurn(read, nowNs));
    assertEquals(0, shaper.tryBurst(read, nowNs));
  }

  /** Takes recovery's guarantee for a second. */
  private void spendGuarantee() {
    shaper.goesOn(new VolumeShaper.Read(), 1 << 30, nowNs);
  }

  @Test
  void burst_isReadWithoutALookAtTheDisk_andTheNextWaitsForIt() {
    begin(first);
    spendGuarantee();
    inFlight = 1;
    nowNs += MS;
    assertTrue(shaper.goesOn(first, VolumeShaper.BURST_BYTES / 2, nowNs));
    assertEquals(0, shaper.tryBurst(first, nowNs));
    assertTrue(shaper.goesOn(first, VolumeShaper.BURST_BYTES / 2, nowNs));
    assertEquals(VolumeShaper.POLL_NS, shaper.tryBurst(first, nowNs));
    inFlight = 0;
    nowNs += MS;
    assertEquals(0, shaper.tryBurst(first, nowNs), "what the system has read ahead");
  }

  @Test
  void afterAClientsRead_theDiskMustHaveBeenIdle() {
    begin(first);
    spendGuarantee();
    inFlight = 1;
    assertTrue(shaper.goesOn(first, VolumeShaper.BURST_BYTES, nowNs));
    assertEquals(VolumeShaper.POLL_NS, shaper.tryBurst(first, nowNs));
    nowNs += VolumeShaper.OWN_NS;
    assertEquals(VolumeShaper.POLL_NS, shaper.tryBurst(first, nowNs));
    inFlight = 0;
    assertEquals(VolumeShaper.POLL_NS, shaper.tryBurst(first, nowNs));
    nowNs += VolumeShaper.QUIET_NS - 1;
    assertEquals(VolumeShaper.POLL_NS, shaper.tryBurst(first, nowNs));
    nowNs += 1;
    assertEquals(0, shaper.tryBurst(first, nowNs));
  }

  @Test
  void diskThatClientsKeepBusy_leavesTheGuarantee() {
    begin(first);
    spendGuarantee();
    inFlight = 1;
    assertTrue(shaper.goesOn(first, VolumeShaper.BURST_BYTES, nowNs));
    long beganNs = nowNs;
    while (shaper.tryBurst(first, nowNs) > 0) {
      nowNs += VolumeShaper.POLL_NS;
    }
    assertEquals(1_000 * MS, nowNs - beganNs, 1.1 * VolumeShaper.POLL_NS, "the debt of a second");
  }

  @Test
  void secondRead_waitsForItsTurn() {
    begin(first);
    nowNs += MS;
    inFlight = 1;
    assertEquals(VolumeShaper.POLL_NS, shaper.tryTurn(second, nowNs));
    assertTrue(shaper.goesOn(first, VolumeShaper.BURST_BYTES, nowNs));
    inFlight = 0;
    nowNs += VolumeShaper.AWAY_NS;
    assertEquals(VolumeShaper.POLL_NS, shaper.tryTurn(second, nowNs), "the first waits for the disk");
    assertEquals(0, shaper.tryBurst(first, nowNs));
    assertFalse(shaper.goesOn(first, (int) VolumeShaper.TURN_BYTES, nowNs));
    assertEquals(0, shaper.tryTurn(second, nowNs));
  }

  @Test
  void slowTurn_ends() {
    begin(first);
    nowNs += VolumeShaper.TURN_NS;
    assertFalse(shaper.goesOn(first, VolumeShaper.BURST_BYTES, nowNs));
  }

  @Test
  void readThatWaitsForItsNetwork_losesItsTurn() {
    begin(first);
    nowNs += VolumeShaper.AWAY_NS - 1;
    assertEquals(VolumeShaper.POLL_NS, shaper.tryTurn(second, nowNs));
    nowNs += 1;
    assertEquals(0, shaper.tryTurn(second, nowNs));
    assertFalse(shaper.goesOn(first, 1, nowNs));
  }

  @Test
  void readThatEnds_orIsGone_leavesItsTurn() {
    begin(first);
    shaper.ended(second);
    assertEquals(VolumeShaper.POLL_NS, shaper.tryTurn(second, nowNs));
    shaper.ended(first);
    assertEquals(0, shaper.tryTurn(second, nowNs));
    assertEquals(0, shaper.tryBurst(second, nowNs));
    inFlight = 1;
    nowNs += VolumeShaper.GONE_NS;
    assertEquals(0, shaper.tryTurn(first, nowNs));
  }

  @Test
  void readThatIsCancelled_leavesItsTurn() throws InterruptedException {
    VolumeShaper busy = new VolumeShaper(() -> 1, 1, ns -> {}, System.nanoTime());
    busy.acquireAfter(new VolumeShaper.Read(), VolumeShaper.BURST_BYTES, () -> true);
    assertEquals(0, busy.tryTurn(new VolumeShaper.Read(), System.nanoTime()));
  }

  @Test
  void diskThatCannotBeAsked_isIdle() {
    unknown = true;
    begin(first);
    spendGuarantee();
    assertTrue(shaper.goesOn(first, VolumeShaper.BURST_BYTES, nowNs));
    assertEquals(0, shaper.tryBurst(first, nowNs));
  }

  /** A disk that serves one request after the other, and what it reads for clients and for recovery. */
  private final class SimulatedDisk {
    private static final long STEP_NS = MS / 10;
    private static final long POSITION_NS = 6 * MS;
    private static final double NS_PER_BYTE = 10;
    private static final int CLIENT_BYTES = 1 << 20;
    private static final int READ_AHEAD_BYTES = 128 << 10;
    private static final int SECONDS = 200;
    private static final double CLIENTS_PER_SEC = 20;

    /** @param stream of what lies one after the other; below 0 = a client's */
    private record Request(int stream, int bytes, long cameNs) {
    }

    private final Deque<Request> queue = new ArrayDeque<>();
    private final List<Double> clientMs = new ArrayList<>();
    private final Random random = new Random(SEED);
    private final VolumeShaper.Read[] reads;
    /** When each read tries next; Long.MAX_VALUE while it reads. */
    private final long[] retryNs;
    private final boolean[] hasTurn;
    private final boolean shaped;
    private final boolean clients;
    private long freeNs = nowNs;
    private int head = Integer.MIN_VALUE;
    private int clientCount;
    private long recoveredBytes;

    SimulatedDisk(int streams, boolean shaped, boolean clients) {
      this.shaped = shaped;
      this.clients = clients;
      reads = new VolumeShaper.Read[streams];
      Arrays.setAll(reads, i -> new VolumeShaper.Read());
      retryNs = new long[streams];
      hasTurn = new boolean[streams];
    }

    void run() {
      double nextClientMs = wait(random);
      long beganNs = nowNs;
      while (nowNs - beganNs < SECONDS * 1_000 * MS) {
        while (clients && nowNs - beganNs >= nextClientMs * MS) {
          queue.add(new Request(-1 - clientCount++, CLIENT_BYTES, nowNs));
          nextClientMs += wait(random);
        }
        serve();
        for (int i = 0; i < reads.length; i++) {
          if (retryNs[i] != Long.MAX_VALUE && nowNs - beganNs >= retryNs[i]) {
            go(i, nowNs - beganNs);
          }
        }
        inFlight = queue.size();
        nowNs += STEP_NS;
      }
    }

    private double wait(Random from) {
      return -Math.log(1 - from.nextDouble()) * 1_000 / CLIENTS_PER_SEC;
    }

    /** One begins when it is the first; it is gone when the time has come. */
    private void serve() {
      while (!queue.isEmpty() && nowNs - freeNs >= duration(queue.peek())) {
        Request done = queue.poll();
        freeNs = freeNs + duration(done);
        head = done.stream();
        if (done.stream() < 0) {
          clientMs.add((double) (nowNs - done.cameNs()) / MS);
        } else {
          recoveredBytes += done.bytes();
          hasTurn[done.stream()] = shaped && shaper.goesOn(reads[done.stream()], done.bytes(), nowNs);
          retryNs[done.stream()] = 0;
        }
      }
      if (queue.isEmpty()) {
        freeNs = nowNs;
      }
    }

    private static long duration(Request request, int head) {
      return (request.stream() == head ? 0 : POSITION_NS) + (long) (request.bytes() * NS_PER_BYTE);
    }

    private long duration(Request request) {
      return duration(request, head);
    }

    private void go(int i, long sinceNs) {
      inFlight = queue.size();
      long waitNs = 0;
      if (shaped) {
        hasTurn[i] = hasTurn[i] || shaper.tryTurn(reads[i], nowNs) == 0;
        waitNs = hasTurn[i] ? shaper.tryBurst(reads[i], nowNs) : VolumeShaper.POLL_NS;
      }
      if (waitNs > 0) {
        retryNs[i] = sinceNs + waitNs;
      } else {
        retryNs[i] = Long.MAX_VALUE;
        queue.add(new Request(i, READ_AHEAD_BYTES, nowNs));
      }
    }

    double p90Ms() {
      double[] sorted = clientMs.stream().mapToDouble(Double::doubleValue).sorted().toArray();
      return sorted[sorted.length * 9 / 10];
    }

    double recoveredMbPerSec() {
      return recoveredBytes / 1e6 / SECONDS;
    }
  }

  private SimulatedDisk run(int streams, boolean shaped, boolean clients) {
    SimulatedDisk disk = new SimulatedDisk(streams, shaped, clients);
    disk.run();
    return disk;
  }

  @Test
  void clients_hardlyWaitForRecovery_whichGetsMostOfWhatTheyLeave() {
    SimulatedDisk none = run(0, false, true);
    SimulatedDisk alone = run(8, true, false);
    SimulatedDisk both = run(8, true, true);
    SimulatedDisk unshaped = run(8, false, true);
    double left = 1 - SimulatedDisk.CLIENTS_PER_SEC * (SimulatedDisk.POSITION_NS
        + SimulatedDisk.CLIENT_BYTES * SimulatedDisk.NS_PER_BYTE) / 1e9;
    String figures = String.format("seed %d: p90 %.1f ms without recovery, %.1f beside it, %.1f without the shaper; "
        + "recovery %.1f MB/s alone, %.1f beside clients, who leave %.2f, and %.1f without the shaper", SEED,
        none.p90Ms(), both.p90Ms(), unshaped.p90Ms(), alone.recoveredMbPerSec(), both.recoveredMbPerSec(), left,
        unshaped.recoveredMbPerSec());
    System.out.println(figures);
    assertTrue(both.p90Ms() <= 1.2 * none.p90Ms(), figures);
    assertTrue(both.recoveredMbPerSec() >= 0.7 * left * alone.recoveredMbPerSec(), figures);
    assertTrue(unshaped.p90Ms() > 2 * none.p90Ms(), figures);
  }
}
