/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.BlockSpecProto;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

/**
 * Checks replicas of this DataNode that targets could not read. It checks them on a thread of its own, since a disk may
 * hang. Safe for use by all threads.
 */
public final class ReplicaCheck implements Closeable {
  /** Bound of the queue. The NameNode names a replica again if it fails again. */
  private static final int MAX_WAITING = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(ReplicaCheck.class);

  /** Checks one replica of this DataNode and reports it if it is bad. */
  public interface Check {
    void check(ExtendedBlock block) throws IOException;
  }

  private final Check check;
  private final Set<ExtendedBlock> waiting = new HashSet<>();
  private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
    Thread checker = new Thread(task, "dayu-replica-check");
    checker.setDaemon(true);
    return checker;
  });

  public ReplicaCheck(Check check) {
    this.check = check;
  }

  /** Queues these replicas for a check, except those that are queued already. */
  public synchronized void offer(String blockPoolId, Collection<BlockSpecProto> suspects) {
    for (BlockSpecProto suspect : suspects) {
      ExtendedBlock block =
          new ExtendedBlock(blockPoolId, suspect.getBlockId(), suspect.getNumBytes(), suspect.getGenerationStamp());
      if (waiting.size() < MAX_WAITING && !thread.isShutdown() && waiting.add(block)) {
        try {
          thread.execute(() -> run(block));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
          // This is how Java says that the system has no more threads. The NameNode names the replica again when it
          // fails again.
          waiting.remove(block);
          LOG.debug("BLOCK* {} could not be checked", block, e);
        }
      }
    }
  }

  private void run(ExtendedBlock block) {
    try {
      check.check(block);
    } catch (IOException | RuntimeException | Error e) {
      LOG.debug("BLOCK* {} could not be checked", block, e);
    } finally {
      synchronized (this) {
        waiting.remove(block);
      }
    }
  }

  @Override
  public synchronized void close() {
    thread.shutdownNow();
  }
}
