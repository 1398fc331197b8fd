/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.transfer.PullCluster.Placed;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.FinishedTransferProto.Outcome;
import io.dayu.protocol.DayuProtos.GrantProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static io.dayu.datanode.transfer.PullCluster.assertSameFiles;
import static io.dayu.datanode.transfer.PullCluster.source;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * A source that hangs, as after SIGSTOP: its connections stay, and bring nothing. No NameNode judges transfers here, so
 * what happens is the agent's own doing.
 */
class HungSourceIT extends TransferFixture {
  /** Longer than this JVM may stand still: meanwhile a source that trickles brings nothing either. */
  private static final int READ_TIMEOUT_MS = 10_000;

  @Override
  Configuration configuration() {
    Configuration conf = super.configuration();
    conf.setInt(HdfsClientConfigKeys.DFS_CLIENT_SOCKET_TIMEOUT_KEY, READ_TIMEOUT_MS);
    return conf;
  }

  @Test
  void sourceThatHangs_givesWayToAnAlternate_whenTheReadTimesOut() throws Exception {
    Placed file = hdfs.write("hangs", LARGE);
    TransferService service = service(file.target());
    try (SourceProxy hung = SourceProxy.stalling(file.first().getXferPort(), LARGE / 2, false)) {
      GrantProto grant = from(hung.port(), file).toBuilder().addAlternates(source(file.second())).build();
      apply(service, grant);
      FinishedTransferProto end = end(service, grant);
      assertEquals(Outcome.DONE, end.getOutcome());
      assertEquals(LARGE, service.receivedBytes(), "no byte was pulled twice");
      assertEquals(1, hung.limited(), "it is not tried again while there is another");
    }
    assertSameFiles(file.block(), file.second(), file.target());
  }

  /** No read times out. */
  @Test
  void sourceThatTrickles_isNotLeft_untilAGrantNamesAnother() throws Exception {
    Placed file = hdfs.write("trickles", LARGE);
    TransferService service = service(file.target());
    try (SourceProxy trickling = SourceProxy.stalling(file.first().getXferPort(), LARGE / 2, true)) {
      GrantProto grant = from(trickling.port(), file).toBuilder().addAlternates(source(file.second())).build();
      apply(service, grant);
      Poll.until("it trickles", SOON, () -> trickling.limited() == 1, () -> status(service));
      long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(READ_TIMEOUT_MS * 3 / 2);
      Poll.until("more than the read timeout has passed", SOON,
          () -> System.nanoTime() - untilNs >= 0 || !status(service).finished().isEmpty(), () -> status(service));
      assertEquals(trickling.port(), running(service).getSource().getTransferPort());
      assertEquals(0, trickling.left());
      apply(service, grant.toBuilder().setSource(source(file.second())).build());
      assertEquals(Outcome.DONE, end(service, grant).getOutcome());
    }
    assertSameFiles(file.block(), file.second(), file.target());
  }
}
