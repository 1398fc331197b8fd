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
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/**
 * Reads replicas of this DataNode that the NameNode has named, one after the other on a thread of its own, and keeps
 * the results until the NameNode names them no longer. Safe for use by all threads.
 */
public final class ReplicaVerification implements Closeable {
  /** Bound of the replicas of a block pool; the NameNode names far fewer. */
  private static final int MAX_REPLICAS = 100;

  private static final Logger LOG = LoggerFactory.getLogger(ReplicaVerification.class);

  /** Reads one replica as a whole, and says whether it is good. */
  public interface Verifier {
    boolean isGood(ExtendedBlock block) throws IOException;
  }

  /** What has become of a replica. */
  private enum Result { WAITING, GOOD, BAD }

  private final Verifier verifier;
  private final Runnable done;
  private final Map<String, Map<BlockSpecProto, Result>> byPool = new HashMap<>();
  private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
    Thread reader = new Thread(task, "dayu-replica-verification");
    reader.setDaemon(true);
    return reader;
  });

  /** @param done runs when there is a result */
  public ReplicaVerification(Verifier verifier, Runnable done) {
    this.verifier = verifier;
    this.done = done;
  }

  /** These are the replicas of a block pool that are to be verified. The results of others are forgotten. */
  public synchronized void set(String blockPoolId, Collection<BlockSpecProto> named) {
    if (named.isEmpty()) {
      byPool.remove(blockPoolId);
      return;
    }
    Map<BlockSpecProto, Result> results = byPool.computeIfAbsent(blockPoolId, pool -> new LinkedHashMap<>());
    results.keySet().retainAll(named);
    for (BlockSpecProto replica : named) {
      if (results.size() < MAX_REPLICAS && results.putIfAbsent(replica, Result.WAITING) == null) {
        try {
          thread.execute(() -> verify(blockPoolId, replica));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
          // This is how Java says that the system has no more threads. The next commands name it again.
          results.remove(replica);
          LOG.debug("BLOCK* {} could not be verified", replica, e);
        }
      }
    }
  }

  private synchronized boolean isWanted(String blockPoolId, BlockSpecProto replica) {
    return byPool.getOrDefault(blockPoolId, Map.of()).get(replica) == Result.WAITING;
  }

  private void verify(String blockPoolId, BlockSpecProto replica) {
    if (!isWanted(blockPoolId, replica)) {
      return;
    }
    boolean good = false;
    try {
      good = verifier.isGood(new ExtendedBlock(blockPoolId, replica.getBlockId(), replica.getNumBytes(),
          replica.getGenerationStamp()));
    } catch (IOException | RuntimeException | Error e) {
      LOG.debug("BLOCK* {} could not be verified", replica, e);
    }
    Result result = good ? Result.GOOD : Result.BAD;
    synchronized (this) {
      byPool.getOrDefault(blockPoolId, new HashMap<>()).computeIfPresent(replica, (same, before) -> result);
    }
    done.run();
  }

  /** What has become of a block pool's replicas, as far as it is known. */
  public synchronized List<VerifiedReplicaProto> results(String blockPoolId) {
    List<VerifiedReplicaProto> results = new ArrayList<>();
    byPool.getOrDefault(blockPoolId, Map.of()).forEach((replica, result) -> {
      if (result != Result.WAITING) {
        results.add(VerifiedReplicaProto.newBuilder().setBlock(replica).setGood(result == Result.GOOD).build());
      }
    });
    return results;
  }

  @Override
  public synchronized void close() {
    thread.shutdownNow();
  }
}
