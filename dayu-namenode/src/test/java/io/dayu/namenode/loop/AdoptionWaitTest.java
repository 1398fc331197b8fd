/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.LoadProto;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.when;

/** Whom a NameNode that has become active waits for before its first plan, and for how long. */
class AdoptionWaitTest extends RecoveryControllerFixture {
  @Test
  void nothingIsPlanned_beforeEveryAgentHasObeyedThisActivation() {
    recovery.controller().tick(startNs + 1);
    recovery.responder().receive(report().build(), startNs + 2);
    recovery.controller().tick(startNs + 3);
    assertTrue(recovery.status().getStateReason().startsWith("waiting for 1 of 1"), "it may have more to say");
    recovery.responder().receive(report().setObeyedActivation(ACTIVATION).setObeyedSequence(1).build(), startNs + 4);
    recovery.controller().tick(startNs + 5);
    assertFalse(recovery.status().getStateReason().startsWith("waiting"), recovery.status().getStateReason());
  }

  @Test
  void dataNodeThatIsSilentForLongerThanALease_isNotWaitedForAfterAFailover() {
    when(blocks.hasStandby()).thenReturn(true);
    when(blocks.silentMs("target")).thenReturn(59_000L);
    long heardNs = startNs + TimeUnit.SECONDS.toNanos(10);
    recovery.controller().tick(startNs + 1);
    recovery.responder().receive(report().setLoad(LOAD).build(), heardNs + 1);
    recovery.controller().tick(heardNs + 2);
    assertTrue(recovery.status().getStateReason().startsWith("waiting for 1 of 1"),
        recovery.status().getState() + recovery.status().getStateReason());
    when(blocks.silentMs("target")).thenReturn(73_000L);
    recovery.controller().tick(heardNs + 3);
    assertFalse(recovery.status().getStateReason().startsWith("waiting"), recovery.status().getStateReason());
  }

  @Test
  void waitAfterAFailover_endsWhenAgentsHaveHadTimeToEndWhatTheirLeasesCover() {
    when(blocks.hasStandby()).thenReturn(true);
    recovery.controller().tick(startNs + 1);
    recovery.responder().receive(report().setLoad(LOAD).build(), startNs + TimeUnit.SECONDS.toNanos(59));
    recovery.controller().tick(startNs + TimeUnit.MILLISECONDS.toNanos(61_900));
    assertTrue(recovery.status().getStateReason().startsWith("waiting for 1 of 1"), "the lease is over, not the grace");
    recovery.controller().tick(startNs + TimeUnit.MILLISECONDS.toNanos(62_100));
    assertFalse(recovery.status().getStateReason().startsWith("waiting"), recovery.status().getStateReason());
  }

  @Test
  void dataNodeWhoseStoragesAreNotKnownYet_isWaitedForAfterAFailover() {
    when(blocks.hasStandby()).thenReturn(true);
    when(blocks.liveNodes()).thenReturn(List.of(node("target"), node("other")));
    when(blocks.knowsStorages("target")).thenReturn(false);
    when(blocks.keepsQueues()).thenReturn(false);
    recovery.controller().tick(startNs + 1);
    when(blocks.keepsQueues()).thenReturn(true);
    long activatedNs = startNs + TimeUnit.HOURS.toNanos(1);
    recovery.controller().tick(activatedNs);
    recovery.responder().receive(report("other").setLoad(LOAD).setObeyedActivation(ACTIVATION).setObeyedSequence(1)
        .build(), activatedNs + 1);
    recovery.controller().tick(activatedNs + 2);
    assertTrue(recovery.status().getStateReason().startsWith("waiting for 1 of 2"), recovery.status().getStateReason());

    when(blocks.knowsStorages("target")).thenReturn(true);
    long laterNs = activatedNs + TimeUnit.SECONDS.toNanos(5);
    recovery.controller().tick(laterNs);
    assertTrue(recovery.status().getStateReason().startsWith("waiting for 1 of 2"), "its agent may be about to report");
    recovery.responder().receive(report().setObeyedActivation(ACTIVATION).setObeyedSequence(1).build(),
        laterNs + 1);
    recovery.controller().tick(laterNs + 2);
    assertFalse(recovery.status().getStateReason().startsWith("waiting"), recovery.status().getStateReason());
  }

  @Test
  void dataNodesSeemSilent_afterAStandbyHasStoodStill_andAreWaitedForAllTheSame() {
    when(blocks.hasStandby()).thenReturn(true);
    when(blocks.keepsQueues()).thenReturn(false);
    long reportedNs = startNs + TimeUnit.HOURS.toNanos(1);
    recovery.controller().tick(reportedNs);
    recovery.responder().receive(report().build(), reportedNs);
    when(blocks.silentMs("target")).thenReturn(100_000L);
    when(blocks.keepsQueues()).thenReturn(true);
    long activatedNs = reportedNs + TimeUnit.SECONDS.toNanos(100);
    recovery.controller().tick(activatedNs);
    recovery.controller().tick(activatedNs + 1);
    assertTrue(recovery.status().getStateReason().startsWith("waiting for 1 of 1"), recovery.status().getStateReason());
    when(blocks.silentMs("target")).thenReturn(2_000L);
    recovery.responder().receive(report().setLoad(LOAD).build(), activatedNs + TimeUnit.SECONDS.toNanos(10));
    recovery.controller().tick(activatedNs + TimeUnit.SECONDS.toNanos(11));
    assertTrue(recovery.status().getStateReason().startsWith("waiting for 1 of 1"),
        recovery.status().getState() + recovery.status().getStateReason());
    recovery.controller().tick(activatedNs + TimeUnit.SECONDS.toNanos(63));
    assertFalse(recovery.status().getStateReason().startsWith("waiting"), "lease and grace are over");
  }

  @Test
  void dataNodeWithoutAnAgent_isNotWaitedForAfterAFailover() {
    when(blocks.hasStandby()).thenReturn(true);
    when(blocks.keepsQueues()).thenReturn(false);
    when(blocks.liveNodes()).thenReturn(List.of(node("target"), node("plain")));
    long failoverNs = startNs + TimeUnit.SECONDS.toNanos(60);
    recovery.controller().tick(failoverNs - 1);
    recovery.responder().receive(report().build(), failoverNs - 1);
    when(blocks.keepsQueues()).thenReturn(true);
    recovery.controller().tick(failoverNs);
    recovery.controller().tick(failoverNs + 1);
    assertTrue(recovery.status().getStateReason().startsWith("waiting for 1 of 2"), recovery.status().getStateReason());
    recovery.responder().receive(report().setObeyedActivation(ACTIVATION).setObeyedSequence(1).build(), failoverNs + 2);
    recovery.controller().tick(failoverNs + 3);
    assertFalse(recovery.status().getStateReason().startsWith("waiting"), recovery.status().getStateReason());
  }

  @Test
  void dataNodeWhoseAgentIsBetweenTwoAttemptsToReport_isWaitedForAfterAStart() {
    when(blocks.liveNodes()).thenReturn(List.of(node("target"), node("late")));
    recovery.controller().tick(startNs + 1);
    LoadProto load = LoadProto.newBuilder().setCapacityInBytesPerSec(100).setCapacityOutBytesPerSec(100)
        .setForegroundInBytesPerSec(0).setForegroundOutBytesPerSec(0).build();
    long maxSec = (DayuProtocolPB.MAX_UNKNOWN_RETRY_MS + DayuProtocolPB.CONNECT_TIMEOUT_MS) / 1_000;
    for (long second = 1; second <= maxSec; second++) {
      long nowNs = startNs + TimeUnit.SECONDS.toNanos(second);
      recovery.responder()
          .receive(report().setLoad(load).setObeyedActivation(ACTIVATION).setObeyedSequence(1).build(), nowNs);
      recovery.controller().tick(nowNs);
      assertEquals(second < maxSec, recovery.status().getStateReason().startsWith("waiting for 1 of 2"),
          "after " + second + " s: " + recovery.status().getStateReason());
    }
  }

  @Test
  void agentThatCouldNotReportForALease_isWaitedForAfterAFailover() {
    when(blocks.hasStandby()).thenReturn(true);
    when(blocks.keepsQueues()).thenReturn(false);
    recovery.controller().tick(startNs + 1);
    recovery.responder().receive(report().build(), startNs + 1);
    when(blocks.keepsQueues()).thenReturn(true);
    long failoverNs = startNs + TimeUnit.SECONDS.toNanos(80);
    recovery.controller().tick(failoverNs);
    recovery.controller().tick(failoverNs + 1);
    assertTrue(recovery.status().getStateReason().startsWith("waiting for 1 of 1"), "its DataNode sends heartbeats");
    recovery.responder().receive(report().setObeyedActivation(ACTIVATION).setObeyedSequence(1).build(), failoverNs + 2);
    recovery.controller().tick(failoverNs + 3);
    assertFalse(recovery.status().getStateReason().startsWith("waiting"), recovery.status().getStateReason());
  }
}
