/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.scale;

import org.apache.hadoop.hdfs.server.blockmanagement.LostNodes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Stock's RedundancyMonitor: every three seconds what the pace asks for, in one go. Replicas arrive evenly until the
 * next round.
 */
final class StockPace implements Pace {
  private static final int ROUND_SEC = 3;
  private static final long ROUND_NS = ROUND_SEC * 1_000_000_000L;

  private final LostNodes cluster;
  private final int blocksPerSec;
  private final Deque<LostNodes.Copy> underWay = new ArrayDeque<>();
  private final Thread monitor = new Thread(this::schedule, "stock");
  private final Thread dataNodes = new Thread(this::receiveReplicas, "datanodes");
  private volatile boolean stopped;
  private volatile long received;

  StockPace(LostNodes cluster, int blocksPerSec) {
    this.cluster = cluster;
    this.blocksPerSec = blocksPerSec;
  }

  @Override
  public void start() {
    monitor.start();
    dataNodes.start();
  }

  private void schedule() {
    long nextNs = System.nanoTime();
    while (!stopped) {
      cluster.stockRound(blocksPerSec * ROUND_SEC);
      List<LostNodes.Copy> copies = cluster.takeQueued();
      synchronized (underWay) {
        underWay.addAll(copies);
      }
      nextNs += ROUND_NS;
      while (!stopped && System.nanoTime() - nextNs < 0) {
        LockSupport.parkNanos(Math.min(50_000_000, nextNs - System.nanoTime()));
      }
    }
  }

  private void receiveReplicas() {
    long startNs = System.nanoTime();
    while (!stopped) {
      long due = (long) ((System.nanoTime() - startNs) * 1e-9 * blocksPerSec);
      LostNodes.Copy copy = null;
      synchronized (underWay) {
        if (underWay.isEmpty()) {
          startNs = System.nanoTime() - (long) (received * 1e9 / blocksPerSec);
        } else if (received < due) {
          copy = underWay.poll();
        }
      }
      if (copy == null) {
        LockSupport.parkNanos(1_000_000);
      } else {
        receive(copy);
        received++;
      }
    }
  }

  private void receive(LostNodes.Copy copy) {
    try {
      cluster.receive(copy);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public long received() {
    return received;
  }

  @Override
  public Thread lockHolder() {
    return monitor;
  }

  @Override
  public void stop() throws InterruptedException {
    stopped = true;
    monitor.join();
    dataNodes.join();
  }
}
