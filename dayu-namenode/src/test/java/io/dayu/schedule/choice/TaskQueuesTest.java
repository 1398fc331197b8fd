/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.choice;

import io.dayu.model.ClusterSnapshot;
import io.dayu.model.TaskTable;
import io.dayu.model.UnselectedBlocks;
import io.dayu.schedule.SnapshotGenerator;
import io.dayu.schedule.Snapshots;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static io.dayu.schedule.Snapshots.MB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The order of blocks in {@link TaskQueues}, worked out by hand and against a plain computation of their sources'
 * pressure.
 */
class TaskQueuesTest {
  /** Pressures so near to each other may be of one class. */
  private static final double CLASS_WIDTH = 1 + 1.0 / 16;

  private static TaskQueues queues(ClusterSnapshot snapshot) {
    CommonSizes common = new CommonSizes();
    common.sum(snapshot.tasks(), UnselectedBlocks.NONE, snapshot.nodes().count());
    UnderemployedNodes underemployed = new UnderemployedNodes();
    underemployed.find(snapshot.nodes(), common, snapshot.parameters().underemployedRatio());
    SourcePressure pressure = new SourcePressure();
    if (snapshot.parameters().pressedSourcesFirst()) {
      pressure.find(snapshot.nodes(), snapshot.tasks(), common);
    } else {
      pressure.findNone(snapshot.nodes(), snapshot.tasks());
    }
    TaskQueues queues = new TaskQueues();
    queues.fill(snapshot.tasks(), underemployed, pressure, snapshot.nodes().urgent());
    return queues;
  }

  private static List<Integer> tasks(TaskQueues queues, int start, int end) {
    List<Integer> tasks = new ArrayList<>();
    for (int i = start; i < end; i++) {
      tasks.add(queues.task(i));
    }
    return tasks;
  }

  /** Node 0 sends 1 MB/s, nodes 1 and 2 send 10; of the blocks, row 1 is on node 0 only. */
  private static Snapshots slowNode() {
    Snapshots snapshots = new Snapshots(4, 10 * MB).out(0, MB);
    snapshots.block(20 * MB, 0, 2);
    snapshots.block(20 * MB, 0);
    snapshots.block(20 * MB, 1, 2);
    snapshots.block(20 * MB, 1);
    return snapshots;
  }

  @Test
  void blocksOfPressedSources_areFirst_andEqualOnesKeepTheirOrder() {
    TaskQueues queues = queues(slowNode().pressedSourcesFirst().build());
    assertEquals(List.of(1, 0, 2, 3), tasks(queues, queues.normalStart(0), queues.end(0)), "40 s, then 4 s each");
  }

  @Test
  void withoutPressure_blocksKeepTheOrderOfTheSnapshot() {
    TaskQueues queues = queues(slowNode().build());
    assertEquals(List.of(0, 1, 2, 3), tasks(queues, queues.normalStart(0), queues.end(0)));
  }

  @Test
  void risk_goesBeforePressure() {
    Snapshots snapshots = new Snapshots(3, 10 * MB).out(0, MB).pressedSourcesFirst();
    snapshots.block(MB, 0).risk(1);
    snapshots.block(MB, 1).risk(0);
    TaskQueues queues = queues(snapshots.build());
    assertEquals(List.of(1), tasks(queues, queues.normalStart(0), queues.end(0)));
    assertEquals(List.of(0), tasks(queues, queues.normalStart(1), queues.end(1)));
  }

  @Test
  void blocksOfUrgentNodes_goBeforeTheOthersOfTheirRisk_whoeverSendsThem() {
    Snapshots snapshots = slowNode();
    snapshots.block(20 * MB, 3).risk(1);
    ClusterSnapshot plain = snapshots.build();
    ClusterSnapshot urgent = new ClusterSnapshot(plain.parameters(), plain.leadMs(),
        plain.nodes().withUrgent(new boolean[] {false, false, true, true}), plain.tasks(), plain.running());
    TaskQueues queues = queues(urgent);
    assertEquals(List.of(0, 2), tasks(queues, queues.urgentStart(0), queues.prioritisedStart(0)));
    assertEquals(List.of(1, 3), tasks(queues, queues.normalStart(0), queues.end(0)));
    assertEquals(List.of(4), tasks(queues, queues.urgentStart(1), queues.prioritisedStart(1)));
  }

  @Test
  void blockThatNobodyCanSend_isLast() {
    Snapshots snapshots = new Snapshots(3, 10 * MB).out(0, 0).pressedSourcesFirst();
    snapshots.block(MB, 0);
    snapshots.block(MB);
    snapshots.block(MB, 0, 1);
    TaskQueues queues = queues(snapshots.build());
    assertEquals(List.of(2, 0, 1), tasks(queues, queues.normalStart(0), queues.end(0)));
  }

  @Test
  void everyQueue_holdsItsWaitingBlocks_byFallingPressure_overRandomSnapshots() {
    int compared = 0;
    for (long seed = 0; seed < 500; seed++) {
      ClusterSnapshot snapshot = SnapshotGenerator.draw(seed);
      TaskQueues queues = queues(snapshot);
      int waiting = 0;
      for (int risk = 0; risk < TaskTable.RISK_LEVELS; risk++) {
        List<Integer> first = tasks(queues, queues.prioritisedStart(risk), queues.normalStart(risk));
        List<Integer> normal = tasks(queues, queues.normalStart(risk), queues.end(risk));
        waiting += first.size() + normal.size();
        compared += assertFalls(snapshot, first, seed) + assertFalls(snapshot, normal, seed);
      }
      int expected = 0;
      for (int copies : snapshot.tasks().copies()) {
        expected += copies > 0 ? 1 : 0;
      }
      assertEquals(expected, waiting, "seed " + seed);
    }
    assertTrue(compared > 500, "the snapshots exercise little");
  }

  private static int assertFalls(ClusterSnapshot snapshot, List<Integer> tasks, long seed) {
    for (int i = 1; i < tasks.size(); i++) {
      if (snapshot.parameters().pressedSourcesFirst()) {
        assertTrue(pressureMs(snapshot, tasks.get(i)) <= CLASS_WIDTH * pressureMs(snapshot, tasks.get(i - 1)),
            "seed " + seed);
      } else {
        assertTrue(tasks.get(i - 1) < tasks.get(i), "seed " + seed);
      }
    }
    return Math.max(0, tasks.size() - 1);
  }

  /** 1 ms more than the pressure, or 1 if nobody can send. */
  private static double pressureMs(ClusterSnapshot snapshot, int task) {
    double min = Double.POSITIVE_INFINITY;
    for (int node = 0; node < snapshot.nodes().count(); node++) {
      long bytesPerSec = snapshot.nodes().recoverOutBytesPerSec()[node];
      if (bytesPerSec > 0 && snapshot.tasks().sources().contains(task, node)) {
        double bytes = 0;
        for (int other = 0; other < snapshot.tasks().count(); other++) {
          boolean waits = snapshot.tasks().copies()[other] > 0 && snapshot.tasks().sources().contains(other, node);
          bytes += waits ? snapshot.tasks().sizeBytes()[other] : 0;
        }
        min = Math.min(min, 1 + 1000 * bytes / bytesPerSec);
      }
    }
    return min == Double.POSITIVE_INFINITY ? 1 : min;
  }
}
