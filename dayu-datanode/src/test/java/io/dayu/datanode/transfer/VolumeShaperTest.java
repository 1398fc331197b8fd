/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Step by step, by a clock that the seed draws; and on a {@link SimulatedDisk}. */
class VolumeShaperTest {
  private static final long SEED = 20261128;
  private static final long MS = 1_000_000;
  private static final long SECOND = 1_000 * MS;
  private static final int PACKET_BYTES = 64 << 10;
  /** In which the minimum brings a burst. */
  private static final long BURST_NS = (long) (VolumeShaper.BURST_BYTES * SECOND / VolumeShaper.MIN_BYTES_PER_SEC) + 1;

  private final long startNs = new Random(SEED).nextLong();
  private long nowNs = startNs;
  private int inFlight;
  private int looks;
  private boolean unknown;
  private final VolumeShaper shaper = new VolumeShaper(this::readsInFlight, ns -> {}, nowNs);
  private final VolumeShaper.Stream first = new VolumeShaper.Stream();
  private final VolumeShaper.Stream second = new VolumeShaper.Stream();

  private int readsInFlight() throws IOException {
    looks++;
    if (unknown) {
      throw new IOException("gone");
    }
    return inFlight;
  }

  private void begin(VolumeShaper.Stream read) {
    assertFalse(shaper.goesOn(read, 0, nowNs));
    assertEquals(0, shaper.tryTurn(read, nowNs));
    assertEquals(0, shaper.tryBurst(read, nowNs));
    nowNs += VolumeShaper.POLL_NS;
  }

  /** Takes recovery's guarantee for a second. */
  private void spendGuarantee() {
    shaper.goesOn(new VolumeShaper.Stream(), 1 << 30, nowNs);
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
    nowNs += VolumeShaper.POLL_NS;
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
    assertEquals(SECOND, nowNs - beganNs, 1.1 * VolumeShaper.POLL_NS, "the debt of a second");
  }

  @Test
  void whileTheGuaranteeIsOpen_furtherReadsGetOneBurstEach() {
    begin(first);
    inFlight = 4;
    assertFalse(shaper.goesOn(second, 0, nowNs));
    assertEquals(VolumeShaper.POLL_NS, shaper.tryTurn(second, nowNs));
    nowNs += BURST_NS;
    assertEquals(0, shaper.tryTurn(second, nowNs), "the first one's burst takes long");
    assertEquals(0, shaper.tryBurst(second, nowNs));
    assertEquals(VolumeShaper.POLL_NS, shaper.tryTurn(new VolumeShaper.Stream(), nowNs), "it has been given away");
    assertTrue(shaper.goesOn(first, VolumeShaper.BURST_BYTES, nowNs), "still its turn");
    nowNs += BURST_NS;
    assertTrue(shaper.goesOn(second, VolumeShaper.BURST_BYTES - 1, nowNs));
    assertEquals(0, shaper.tryBurst(second, nowNs), "the rest of its burst");
    assertFalse(shaper.goesOn(second, 1, nowNs));
    assertEquals(0, shaper.tryTurn(second, nowNs));
  }

  @Test
  void looksAtTheDisk_areBounded() {
    begin(first);
    spendGuarantee();
    inFlight = 1;
    assertTrue(shaper.goesOn(first, VolumeShaper.BURST_BYTES, nowNs));
    looks = 0;
    for (int i = 0; i < 100; i++) {
      nowNs += VolumeShaper.POLL_NS / 10;
      shaper.tryTurn(second, nowNs);
      shaper.tryBurst(first, nowNs);
    }
    assertEquals(10, looks);
  }

  @Test
  void secondRead_waitsForItsTurn() {
    begin(first);
    spendGuarantee();
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
    spendGuarantee();
    nowNs += VolumeShaper.AWAY_NS - VolumeShaper.POLL_NS - 1;
    assertEquals(VolumeShaper.POLL_NS, shaper.tryTurn(second, nowNs));
    nowNs += 1;
    assertEquals(0, shaper.tryTurn(second, nowNs));
    assertFalse(shaper.goesOn(first, 1, nowNs));
  }

  private void beginWrite(VolumeShaper.Stream write) {
    begin(write);
    shaper.begins(write, nowNs);
  }

  @Test
  void streamThatWrites_keepsItsTurn_untilItWaitsForItsNetwork() {
    beginWrite(first);
    spendGuarantee();
    nowNs += VolumeShaper.GONE_NS - 1;
    assertEquals(VolumeShaper.POLL_NS, shaper.tryTurn(second, nowNs), "no read is in flight, but it writes");
    shaper.wrote(first, VolumeShaper.BURST_BYTES, nowNs);
    assertFalse(shaper.goesOn(first, 0, nowNs), "its turn took long");
    shaper.ended(first, nowNs);
    beginWrite(first);
    spendGuarantee();
    nowNs += MS;
    shaper.wrote(first, VolumeShaper.BURST_BYTES, nowNs);
    nowNs += VolumeShaper.AWAY_NS - 1;
    assertEquals(VolumeShaper.POLL_NS, shaper.tryTurn(second, nowNs));
    assertTrue(shaper.goesOn(first, 0, nowNs), "it has come back");
    assertEquals(0, shaper.tryBurst(first, nowNs));
    shaper.begins(first, nowNs);
    shaper.wrote(first, VolumeShaper.BURST_BYTES, nowNs);
    nowNs += VolumeShaper.AWAY_NS;
    assertEquals(0, shaper.tryTurn(second, nowNs));
    assertFalse(shaper.goesOn(first, 0, nowNs));
  }

  @Test
  void streamWhoseWriteHangs_losesItsTurn() {
    beginWrite(first);
    spendGuarantee();
    nowNs += VolumeShaper.GONE_NS;
    assertEquals(0, shaper.tryTurn(second, nowNs));
    shaper.wrote(first, VolumeShaper.BURST_BYTES, nowNs);
    assertFalse(shaper.goesOn(first, 0, nowNs));
  }

  @Test
  void writeThatIsCancelled_isNotDone() throws Exception {
    VolumeShaper busy = new VolumeShaper(() -> 1, ns -> {}, System.nanoTime());
    spendGuarantee(busy);
    assertFalse(busy.write(new VolumeShaper.Stream(), VolumeShaper.BURST_BYTES, () -> {
      throw new IOException("written");
    }, () -> true));
    assertEquals(0, busy.tryTurn(new VolumeShaper.Stream(), System.nanoTime()));
  }

  @Test
  void readThatEnds_orIsGone_leavesItsTurn() {
    begin(first);
    spendGuarantee();
    shaper.ended(second, nowNs);
    assertEquals(VolumeShaper.POLL_NS, shaper.tryTurn(second, nowNs));
    shaper.ended(first, nowNs);
    assertEquals(0, shaper.tryTurn(second, nowNs));
    assertEquals(0, shaper.tryBurst(second, nowNs));
    inFlight = 1;
    nowNs += VolumeShaper.GONE_NS;
    assertEquals(0, shaper.tryTurn(first, nowNs));
  }

  @Test
  void readThatIsCancelled_leavesItsTurn() throws InterruptedException {
    VolumeShaper busy = new VolumeShaper(() -> 1, ns -> {}, System.nanoTime());
    busy.acquireAfter(new VolumeShaper.Stream(), VolumeShaper.BURST_BYTES, () -> true);
    assertEquals(0, busy.tryTurn(new VolumeShaper.Stream(), System.nanoTime()));
  }

  @Test
  @Timeout(60)
  void readAtTheHighestRisk_goesBeforeOthersThatWait() throws Exception {
    first.setHighestRisk(true);
    assertGoesFirst(disk -> disk.acquireAfter(first, 0, () -> false));
  }

  /** Waits for its turn on a disk. */
  interface Waits {
    void waitFor(VolumeShaper disk) throws Exception;
  }

  /** Has this wait behind a read that waits already. Whose turn is next looks at the disk, which clients keep busy. */
  static void assertGoesFirst(Waits goesFirst) throws Exception {
    BlockingQueue<Thread> looks = new LinkedBlockingQueue<>();
    VolumeShaper disk = new VolumeShaper(() -> {
      looks.add(Thread.currentThread());
      return 1;
    }, ns -> {}, System.nanoTime());
    VolumeShaper.Stream holder = new VolumeShaper.Stream();
    assertEquals(0, disk.tryTurn(holder, System.nanoTime()));
    Thread read = waiting(disk, shaper -> shaper.acquireAfter(new VolumeShaper.Stream(), 0, () -> false));
    Thread first = waiting(disk, goesFirst);
    disk.ended(holder, System.nanoTime());
    assertEquals(first, looks.take());
    for (Thread thread : List.of(read, first)) {
      thread.interrupt();
      thread.join();
    }
  }

  /** Takes what recovery is guaranteed, until long after the test: this JVM may stand still. */
  static void spendGuarantee(VolumeShaper disk) {
    disk.goesOn(new VolumeShaper.Stream(), 1 << 30, System.nanoTime() + TimeUnit.HOURS.toNanos(1));
  }

  private static Thread waiting(VolumeShaper disk, Waits what) {
    Thread thread = new Thread(() -> {
      try {
        what.waitFor(disk);
      } catch (InterruptedException e) {
        // The test ends.
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    });
    // The guarantee lets nobody pass.
    spendGuarantee(disk);
    thread.start();
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      assertTrue(thread.isAlive(), "it has not waited");
    }
    return thread;
  }

  @Test
  void diskThatCannotBeAsked_isIdle() {
    unknown = true;
    begin(first);
    spendGuarantee();
    assertTrue(shaper.goesOn(first, VolumeShaper.BURST_BYTES, nowNs));
    assertEquals(0, shaper.tryBurst(first, nowNs));
  }

  @Test
  void blocksOfOnePacket_getTheGuarantee() {
    inFlight = 4;
    int blocks = 0;
    while (nowNs - startNs < 20 * SECOND) {
      VolumeShaper.Stream read = new VolumeShaper.Stream();
      shaper.goesOn(read, PACKET_BYTES, nowNs);
      assertEquals(0, shaper.tryTurn(read, nowNs));
      while (shaper.tryBurst(read, nowNs) > 0) {
        nowNs += VolumeShaper.POLL_NS;
      }
      shaper.ended(read, nowNs);
      blocks++;
    }
    assertEquals(20 * VolumeShaper.MIN_BYTES_PER_SEC, (double) blocks * PACKET_BYTES,
        VolumeShaper.MIN_BYTES_PER_SEC, blocks + " blocks in 20 s");
  }

  @Test
  void restOfABurst_isGivenBack_butNoMoreThanItWasCharged() {
    begin(first);
    shaper.goesOn(first, PACKET_BYTES, nowNs);
    spendGuarantee();
    shaper.ended(first, nowNs);
    assertEquals(SECOND - (VolumeShaper.BURST_BYTES - PACKET_BYTES) * SECOND / VolumeShaper.MIN_BYTES_PER_SEC,
        untilGuaranteeNs(), 2 * VolumeShaper.POLL_NS);
    spendGuarantee();
    inFlight = 0;
    nowNs += VolumeShaper.POLL_NS;
    assertEquals(VolumeShaper.POLL_NS, shaper.tryBurst(second, nowNs));
    nowNs += VolumeShaper.QUIET_NS;
    begin(second);
    shaper.ended(second, nowNs);
    assertEquals(SECOND, untilGuaranteeNs(), 0.02 * SECOND, "it was charged what the bound of the debt left");
  }

  /** How long a read waits beside clients that keep the disk busy. */
  private long untilGuaranteeNs() {
    inFlight = 4;
    long beganNs = nowNs;
    VolumeShaper.Stream read = new VolumeShaper.Stream();
    assertEquals(0, shaper.tryTurn(read, nowNs));
    while (shaper.tryBurst(read, nowNs) > 0) {
      nowNs += VolumeShaper.POLL_NS;
    }
    shaper.ended(read, nowNs);
    return nowNs - beganNs;
  }

  private static SimulatedDisk run(int streams, SimulatedDisk.Recovery recovery, SimulatedDisk.Clients clients) {
    return new SimulatedDisk(SimulatedDisk.Hardware.USUAL, streams, recovery, clients, SEED).run();
  }

  /** The guarantee is in bytes; what it takes of the disk's time follows from the disk. */
  @ParameterizedTest
  @CsvSource({"1,6,128", "4,6,128", "16,6,128", "32,6,128", "16,12,128", "16,6,1024"})
  void saturatedDisk_leavesRecoveryItsMinimum_andHardlyMore(int busyClients, int positionMs, int readAheadKb) {
    SimulatedDisk.Hardware hardware = new SimulatedDisk.Hardware(positionMs * MS, 10, readAheadKb << 10);
    SimulatedDisk disk =
        new SimulatedDisk(hardware, 16, SimulatedDisk.Recovery.READS_IN_TURNS,
            new SimulatedDisk.Clients(0, 1, busyClients), SEED).run();
    String figures = String.format("%d busy clients, %d ms, %d KiB ahead: recovery %.2f MB/s, %.1f %% of the disk's "
        + "time", busyClients, positionMs, readAheadKb, disk.recoveredMbPerSec(), 100 * disk.recoveryShare());
    System.out.println(figures);
    assertEquals(VolumeShaper.MIN_BYTES_PER_SEC, 1e6 * disk.recoveredMbPerSec(), 0.02 * VolumeShaper.MIN_BYTES_PER_SEC,
        figures);
    int atOnce = hardware.readAheadBytes();
    assertEquals(VolumeShaper.MIN_BYTES_PER_SEC / atOnce * hardware.readNs(atOnce) / SECOND, disk.recoveryShare(),
        0.005, figures);
  }

  @ParameterizedTest
  @CsvSource({"1,6", "16,6", "16,12"})
  void saturatedDisk_leavesTheWritesOfRecoveryTheSameMinimum(int busyClients, int positionMs) {
    SimulatedDisk.Hardware hardware = new SimulatedDisk.Hardware(positionMs * MS, 10, 128 << 10);
    SimulatedDisk disk =
        new SimulatedDisk(hardware, 16, SimulatedDisk.Recovery.WRITES_IN_TURNS,
            new SimulatedDisk.Clients(0, 1, busyClients), SEED).run();
    String figures = String.format("%d busy clients, %d ms: recovery writes %.2f MB/s, %.1f %% of the disk's time",
        busyClients, positionMs, disk.recoveredMbPerSec(), 100 * disk.recoveryShare());
    System.out.println(figures);
    assertEquals(VolumeShaper.MIN_BYTES_PER_SEC, 1e6 * disk.recoveredMbPerSec(), 0.02 * VolumeShaper.MIN_BYTES_PER_SEC,
        figures);
  }

  @ParameterizedTest
  @CsvSource({"READS,20,1", "READS,8,8", "WRITES,20,1", "WRITES,8,8"})
  void clients_hardlyWaitForRecovery_whichGetsMostOfWhatTheyLeave(String what, double perSec, int parts) {
    SimulatedDisk.Recovery atAnyTime = SimulatedDisk.Recovery.valueOf(what);
    SimulatedDisk.Recovery inTurns = SimulatedDisk.Recovery.valueOf(what + "_IN_TURNS");
    SimulatedDisk.Clients clients = new SimulatedDisk.Clients(perSec, parts, 0);
    SimulatedDisk none = run(0, atAnyTime, clients);
    SimulatedDisk alone = run(8, inTurns, SimulatedDisk.Clients.NONE);
    SimulatedDisk both = run(8, inTurns, clients);
    SimulatedDisk unshaped = run(8, atAnyTime, clients);
    double left = 1 - perSec
        * SimulatedDisk.Hardware.USUAL.readNs(SimulatedDisk.CLIENT_BYTES) / SECOND;
    double share = both.recoveredMbPerSec() / left / alone.recoveredMbPerSec();
    String figures = String.format("seed %d, %s: %.0f clients a second, %d parts: p50, p90 %.1f, %.1f ms without "
        + "recovery, %.1f, %.1f beside it, %.1f, %.1f without the shaper; recovery %.1f MB/s alone, %.1f beside "
        + "clients, %.2f of what they leave", SEED, what, perSec, parts, none.clientMs(0.5), none.clientMs(0.9),
        both.clientMs(0.5), both.clientMs(0.9), unshaped.clientMs(0.5), unshaped.clientMs(0.9),
        alone.recoveredMbPerSec(), both.recoveredMbPerSec(), share);
    System.out.println(figures);
    assertTrue(both.clientMs(0.9) <= 1.2 * none.clientMs(0.9), figures);
    assertTrue(share >= 0.7, figures);
    assertTrue(unshaped.clientMs(0.9) > 2 * none.clientMs(0.9), figures);
  }
}
