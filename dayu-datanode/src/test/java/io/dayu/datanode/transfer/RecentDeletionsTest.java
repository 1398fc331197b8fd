/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** Five heartbeats of two seconds pass until a deletion counts as reported. */
final class RecentDeletionsTest {
  private static final String POOL = "pool";
  private static final long ID = -16;
  private static final String THERE = "still has";
  private static final String DELETED = "has just deleted";

  private final DataNodeAccess node = mock(DataNodeAccess.class);
  private RecentDeletions deletions;

  @BeforeEach
  void heartbeats() {
    Configuration conf = new Configuration(false);
    conf.set(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, "2s");
    when(node.conf()).thenReturn(conf);
    deletions = new RecentDeletions(node);
  }

  private void replicaIs(boolean there, boolean deleting) throws IOException {
    when(node.hasReplica(POOL, ID)).thenReturn(there);
    when(node.isDeleting(POOL, ID)).thenReturn(deleting);
  }

  private String remains(long seconds) throws IOException {
    return deletions.remains(POOL, ID, TimeUnit.SECONDS.toNanos(seconds));
  }

  @Test
  void replicaThatWasNeverThere_leavesNothing() throws IOException {
    assertNull(remains(0));
    assertNull(remains(1));
  }

  @Test
  void heartbeats_countFromTheFirstLookThatMissesTheReplica() throws IOException {
    replicaIs(true, false);
    assertEquals(THERE, remains(0));
    assertEquals(THERE, remains(100));
    replicaIs(false, true);
    assertEquals(DELETED, remains(200));
    assertEquals(DELETED, remains(209));
    assertNull(remains(210));
    assertNull(remains(211));
  }

  @Test
  void replicaThatNobodyAskedForWhileItWasThere_isKnownToHdfs() throws IOException {
    replicaIs(false, true);
    assertEquals(DELETED, remains(50));
    assertEquals(DELETED, remains(59));
    assertNull(remains(60));
    // HDFS goes on to say so for a while.
    assertNull(remains(70));
  }

  /** HDFS forgets what it has deleted once it has deleted more. */
  @Test
  void deletionThatHdfsHasForgotten_isStillAwaited() throws IOException {
    replicaIs(true, false);
    assertEquals(THERE, remains(0));
    replicaIs(false, false);
    assertEquals(DELETED, remains(100));
    assertEquals(DELETED, remains(109));
    assertNull(remains(110));
    assertNull(remains(111));
  }

  @Test
  void replicaThatIsMadeAndDeletedAgain_isAwaitedAgain() throws IOException {
    replicaIs(false, true);
    assertEquals(DELETED, remains(0));
    replicaIs(true, true);
    assertEquals(THERE, remains(5));
    replicaIs(false, true);
    assertEquals(DELETED, remains(20));
    assertEquals(DELETED, remains(29));
    assertNull(remains(30));
  }
}
