/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.algorithm;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.NodeTable;
import io.dayu.model.TimeslotPlan;
import io.dayu.schedule.TimeslotScheduler;

import java.util.Arrays;

/**
 * A scheduler that gives recovery the same bandwidth on every node whatever the foreground is, as static rate control
 * does (Pangu's in ATC'19 §5.1). Thread-safety is that of the inner scheduler.
 *
 * @param inner plans with that bandwidth
 * @param bytesPerSec the limit of each node and direction
 */
public record StaticBandwidth(TimeslotScheduler inner, long bytesPerSec) implements TimeslotScheduler {

  @Override
  public String name() {
    return inner.name();
  }

  @Override
  public TimeslotPlan plan(ClusterSnapshot snapshot) {
    NodeTable nodes = snapshot.nodes();
    long[] limit = new long[nodes.count()];
    Arrays.fill(limit, bytesPerSec);
    NodeTable limited = new NodeTable(limit, limit, nodes.rack(), nodes.rackCount(), nodes.acceptsTransfers(),
        nodes.maxIncoming(), nodes.maxOutgoing(), nodes.roomBytes());
    return inner.plan(new ClusterSnapshot(snapshot.parameters().inSnapshotOrder(), snapshot.leadMs(), limited,
        snapshot.tasks(), snapshot.running()));
  }
}
