/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.VerifiedReplicaProto;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

import static org.junit.jupiter.api.Assertions.assertEquals;

@Timeout(60)
class ReplicaVerificationTest {
  private static final BlockSpecProto GOOD = replica(1);
  private static final BlockSpecProto BAD = replica(2);
  private static final BlockSpecProto UNREADABLE = replica(3);

  private final Map<Long, Integer> reads = new ConcurrentHashMap<>();
  private final Semaphore done = new Semaphore(0);
  private final ReplicaVerification verification = new ReplicaVerification(block -> {
    reads.merge(block.getBlockId(), 1, Integer::sum);
    if (block.getBlockId() == UNREADABLE.getBlockId()) {
      throw new IOException("a test");
    }
    return block.getBlockId() == GOOD.getBlockId();
  }, done::release);

  @AfterEach
  void close() {
    verification.close();
  }

  private static BlockSpecProto replica(long id) {
    return BlockSpecProto.newBuilder().setBlockId(id).setGenerationStamp(1).setNumBytes(100).build();
  }

  private static VerifiedReplicaProto result(BlockSpecProto replica, boolean good) {
    return VerifiedReplicaProto.newBuilder().setBlock(replica).setGood(good).build();
  }

  @Test
  void replicas_areReadOnce_andTheirResultsKeptWhileTheyAreNamed() throws Exception {
    verification.set("pool", List.of(GOOD, BAD, UNREADABLE));
    verification.set("pool", List.of(GOOD, BAD, UNREADABLE));
    done.acquire(3);
    assertEquals(List.of(result(GOOD, true), result(BAD, false), result(UNREADABLE, false)),
        verification.results("pool"));
    assertEquals(Map.of(1L, 1, 2L, 1, 3L, 1), reads);
    assertEquals(List.of(), verification.results("another pool"));
    verification.set("pool", List.of(BAD));
    assertEquals(List.of(result(BAD, false)), verification.results("pool"));
    verification.set("pool", List.of());
    assertEquals(List.of(), verification.results("pool"));
    verification.set("pool", List.of(BAD));
    done.acquire();
    assertEquals(2, reads.get(2L), "named anew, read anew");
  }
}
