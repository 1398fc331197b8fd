/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.harness.ClusterVerifier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** With security: a corrupt source, a restart of the NameNode and an append, one after the other. */
@Tag("slow")
final class SecureRestartIT extends SecureFaultsFixture {
  @Test
  void corruptSource_restartOfTheNameNode_andAppend_endAsWithoutSecurity() throws Exception {
    start(FaultsIT.forAnotherNameNode().conf("dayu.scheduler.eviction-factor", "0")
        .conf("dayu.scheduler.underemployed-ratio", "0"));
    int lost = corruptSource();
    cluster.restart(lost);
    // A NameNode that has become active removes no excess replica before the next block reports.
    cluster.renewBlockReports(LIMIT);
    new ClusterVerifier(cluster).awaitSettled(LIMIT);
    StatusProbe.awaitDayu(NODES);
    slowAgain();
    restartNameNodeInMidTransfer();
    slowAgain();
    // Less to recover then.
    for (String path : List.copyOf(cluster.files().lengthsBytes().keySet())) {
      cluster.delete(path);
    }
    appendInMidTransfer();
    assertEquals(0, StatusProbe.status().getTotalHandedToStock(), StatusProbe.describe());
  }

  /** As at first: what {@link #hurry} has set no longer counts. */
  private void slowAgain() throws Exception {
    cluster.admin().setMaxUtilization("");
  }
}
