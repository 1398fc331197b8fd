/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.nic;

import io.dayu.harness.Await;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A busy machine may make everything take longer, so only minimum times are checked. */
class EmulatedNicTest {
  private static final long SLOW_BYTES_PER_SEC = 1_000_000;
  private static final int BYTES = 200_000;

  private static final long MS = 1_000_000;

  /** System.nanoTime() may be negative. */
  private long nowNs = -3;

  private Link newLink(long bytesPerSec) {
    return new Link(bytesPerSec, () -> nowNs);
  }

  private static Link.Backlog put(Link link, Traffic traffic, int bytes) {
    Link.Backlog backlog = link.newBacklog(traffic);
    backlog.add(bytes);
    return backlog;
  }

  @Test
  void link_isSharedEquallyByTheFlowsThatHaveBytesOnIt() {
    Link link = newLink(1_000);
    Link.Backlog large = put(link, Traffic.RECOVERY, 10_000);
    assertEquals(10_000 * MS, large.remainingNs());
    nowNs += 4_000 * MS;
    Link.Backlog small = put(link, Traffic.FOREGROUND, 500);
    assertEquals(List.of(6_500 * MS, 1_000 * MS), List.of(large.remainingNs(), small.remainingNs()));
    nowNs += 500 * MS;
    assertCarried(link, 250, 4_250);
    nowNs += 500 * MS;
    assertCarried(link, 500, 4_500);
    nowNs += 500 * MS;
    assertCarried(link, 500, 5_000);
    assertEquals(List.of(5_000 * MS, 0L), List.of(large.remainingNs(), small.remainingNs()));
  }

  @Test
  void backlog_isThroughLater_ifMoreComes() {
    Link link = newLink(1_000);
    Link.Backlog one = put(link, Traffic.RECOVERY, 1_000);
    Link.Backlog other = put(link, Traffic.FOREGROUND, 300);
    assertEquals(List.of(1_300 * MS, 600 * MS), List.of(one.remainingNs(), other.remainingNs()));
    other.add(500);
    assertEquals(List.of(1_800 * MS, 1_600 * MS), List.of(one.remainingNs(), other.remainingNs()));
  }

  @Test
  void manyFlows_leaveNothingOver() {
    Link link = newLink(1_000_003);
    List<Link.Backlog> flows = new ArrayList<>();
    for (int flow = 0; flow < 49; flow++) {
      flows.add(put(link, Traffic.RECOVERY, 10_000));
    }
    for (int step = 0; step < 100_000; step++) {
      nowNs += 7_919;
      link.carriedBytes(Traffic.RECOVERY);
    }
    assertCarried(link, 0, 490_000);
    assertTrue(flows.stream().allMatch(flow -> flow.remainingNs() == 0));
  }

  @Test
  void rate_countsForWhatIsOnTheLinkAlready() {
    Link link = newLink(1_000);
    Link.Backlog backlog = put(link, Traffic.RECOVERY, 1_000);
    nowNs += 500 * MS;
    link.set(2_000, true);
    assertEquals(250 * MS, backlog.remainingNs());
    link.set(2_000, false);
    assertEquals(0, backlog.remainingNs());
    assertCarried(link, 0, 1_000);
  }

  @Test
  void idleLink_savesNothingUp() {
    Link link = newLink(1_000_000_000);
    put(link, Traffic.RECOVERY, 1);
    nowNs += 2 * MS;
    assertEquals(MS, put(link, Traffic.RECOVERY, 1_000_000).remainingNs());
  }

  @Test
  void unlimitedLink_letsEverythingThroughAndKeepsNothing() {
    Link link = newLink(1);
    link.set(1, false);
    assertEquals(0, put(link, Traffic.RECOVERY, 1_000_000_000).remainingNs());
    assertEquals(1_000_000_000, link.carriedBytes(Traffic.RECOVERY));
    link.set(1_000_000, true);
    assertEquals(MS, put(link, Traffic.RECOVERY, 1_000).remainingNs());
  }

  @Test
  void link_countsWhatIsThroughToTheByte() {
    Link link = newLink(1_000_000);
    put(link, Traffic.FOREGROUND, 2_000);
    put(link, Traffic.RECOVERY, 3_000);
    put(link, Traffic.RECOVERY, 1_000);
    assertCarried(link, 0, 0);
    nowNs += 3 * MS / 2;
    assertCarried(link, 500, 1_000);
    nowNs += MS * 5 / 2;
    assertCarried(link, 1_500, 2_500);
    nowNs += 2 * MS;
    assertCarried(link, 2_000, 4_000);
    nowNs += 100 * MS;
    assertCarried(link, 2_000, 4_000);
  }

  private static void assertCarried(Link link, long foregroundBytes, long recoveryBytes) {
    assertEquals(List.of(foregroundBytes, recoveryBytes),
        List.of(link.carriedBytes(Traffic.FOREGROUND), link.carriedBytes(Traffic.RECOVERY)));
  }

  @Test
  void competingFlows_shareTheLinkAndCountTheirBytes() throws Exception {
    EmulatedNic nic = new EmulatedNic(SLOW_BYTES_PER_SEC);
    long startNs = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    List<Throwable> errors = new ArrayList<>();
    for (Traffic traffic : Traffic.values()) {
      Thread thread = new Thread(() -> {
        try {
          Flow flow = nic.sending(traffic);
          for (int bytes = 0; bytes < BYTES; bytes += 4_000) {
            flow.pass(4_000, false);
          }
          flow.drain();
        } catch (Exception e) {
          synchronized (errors) {
            errors.add(e);
          }
        }
      });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    double seconds = (System.nanoTime() - startNs) / 1e9;
    assertEquals(List.of(), errors);
    assertCounts(new NicCounters(0, 0, BYTES, BYTES), nic);
    // The last wait may be left out, since it is too short to be worth it.
    assertTrue(seconds >= 0.999 * 2 * BYTES / SLOW_BYTES_PER_SEC, seconds + " s");
  }

  /** The last wait may be left out, since it is too short to matter: then the last bytes are through a little later. */
  private static void assertCounts(NicCounters expected, EmulatedNic nic) throws Exception {
    Await.until("all bytes are through", Duration.ofSeconds(30), () -> nic.counters().equals(expected), nic::counters);
  }

  @Test
  void abandonedFlow_countsWhatItPutOnTheLink() throws Exception {
    EmulatedNic nic = new EmulatedNic(SLOW_BYTES_PER_SEC);
    nic.sending(Traffic.FOREGROUND).pass(Flow.QUANTUM_BYTES + 1_000, false);
    assertCounts(new NicCounters(0, 0, Flow.QUANTUM_BYTES + 1_000, 0), nic);
  }

  @Test
  void mirroredBytes_takeBothDirections() throws Exception {
    EmulatedNic nic = new EmulatedNic(SLOW_BYTES_PER_SEC);
    Flow flow = nic.receiving(Traffic.FOREGROUND);
    flow.pass(BYTES, true);
    flow.drain();
    assertCounts(new NicCounters(BYTES, 0, BYTES, 0), nic);
  }

  @Test
  void interruptedWait_endsWithTheInterruptStillSet() {
    Flow flow = new EmulatedNic(1).sending(Traffic.FOREGROUND);
    Thread.currentThread().interrupt();
    assertThrows(InterruptedIOException.class, () -> flow.pass(1_000_000, false));
    assertTrue(Thread.interrupted());
  }

  @ParameterizedTest
  @CsvSource({"DFSClient_NONMAPREDUCE_-1_12, FOREGROUND", "dayu-recovery, RECOVERY", "'', RECOVERY",
      "dayu-recovery-tool, FOREGROUND"})
  void reader_isToldByItsName(String name, Traffic traffic) {
    assertEquals(traffic,
        Readers.trafficOfReader("DataXceiver for client " + name + " at /127.0.0.1:4711 [Sending block BP-1:blk_1_1]"));
  }

  @Test
  void nics_areFoundWhileTheirClusterIsThere() {
    Configuration conf = new Configuration(false);
    assertThrows(IllegalArgumentException.class, () -> EmulatedNics.of(conf));
    try (EmulatedNics one = new EmulatedNics(2, 7); EmulatedNics other = new EmulatedNics(2, 8)) {
      one.settingsOf(1).forEach(conf::set);
      assertEquals(one.nic(1), EmulatedNics.of(conf));
      other.settingsOf(1).forEach(conf::set);
      assertEquals(8, new EmulatedNicMeter(conf).capacityBytesPerSec().getAsLong());
    }
    assertThrows(IllegalArgumentException.class, () -> EmulatedNics.of(conf));
  }
}
