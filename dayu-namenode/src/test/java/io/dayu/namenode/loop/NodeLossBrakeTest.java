/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** When a loss of many DataNodes holds back recovery, and until when. */
class NodeLossBrakeTest {
  private static final long NEVER = 0;
  /** {@link System#nanoTime()} may be negative. */
  private static final long START_NS = -TimeUnit.DAYS.toNanos(1);

  private double maxRatio = 0.3;
  private final NodeLossBrake brake = new NodeLossBrake(() -> maxRatio);
  private long minute;

  private long nowNs() {
    return START_NS + TimeUnit.MINUTES.toNanos(minute);
  }

  /** Observes {@code live} nodes after some more minutes. */
  private boolean after(int minutes, int live, long resumedMs) {
    minute += minutes;
    brake.observe(live, resumedMs, TimeUnit.MINUTES.toMillis(minute), nowNs());
    return brake.isOn();
  }

  @Test
  void loss_holdsBack_untilEnoughNodesAreBack() {
    assertFalse(after(1, 100, NEVER));
    assertFalse(after(1, 70, NEVER), "a rack of three");
    assertTrue(after(1, 60, NEVER));
    assertTrue(brake.reason(nowNs()).startsWith("40 of 100 DataNodes were lost within minutes; "));
    assertTrue(after(9, 69, NEVER), "also when the loss is longer ago than the window");
    assertTrue(after(5, 69, NEVER));
    assertFalse(after(1, 71, NEVER));
  }

  @Test
  void loss_holdsBack_forABoundedTime_andNotAgain() {
    after(1, 100, NEVER);
    assertTrue(after(1, 50, NEVER));
    assertTrue(after(29, 50, NEVER));
    assertFalse(after(1, 50, NEVER));
    assertFalse(after(1, 50, NEVER));
    assertTrue(after(1, 20, NEVER), "a further loss");
  }

  @Test
  void admin_endsIt_alsoWithACommandThatAFailoverInherits() {
    after(1, 100, NEVER);
    assertTrue(after(1, 50, 0));
    assertTrue(after(1, 50, TimeUnit.MINUTES.toMillis(1)), "an earlier command");
    assertFalse(after(1, 50, TimeUnit.MINUTES.toMillis(3)));
  }

  @Test
  void slowLoss_smallCluster_orASettingOfOne_holdsNothingBack() {
    for (int live = 100; live >= 50; live -= 10) {
      assertFalse(after(9, live, NEVER));
    }
    NodeLossBrake small = new NodeLossBrake(() -> maxRatio);
    small.observe(6, 0, 0, 0);
    small.observe(2, 0, 1, 1);
    assertFalse(small.isOn());
    maxRatio = 1;
    after(20, 100, NEVER);
    assertFalse(after(1, 0, NEVER));
  }

  @Test
  void loss_isOfFiveNodesAtLeast_andOfMoreThanTheShare() {
    maxRatio = 0.5;
    assertFalse(after(1, 10, NEVER));
    assertFalse(after(1, 5, NEVER), "half of them, and no more");
    assertTrue(after(1, 4, NEVER));
    assertFalse(after(1, 5, NEVER), "enough are back");
    maxRatio = 0.1;
    NodeLossBrake other = new NodeLossBrake(() -> maxRatio);
    other.observe(20, NEVER, 0, 0);
    other.observe(16, NEVER, 0, 1);
    assertFalse(other.isOn());
    other.observe(15, NEVER, 0, 2);
    assertTrue(other.isOn());
  }

  @Test
  void loss_isSeen_withinTheWindow_alsoOfNodesThatWereThereForAMoment() {
    long second = TimeUnit.SECONDS.toNanos(1);
    brake.observe(50, NEVER, 0, 0);
    // Sooner than the next sample is due, but more nodes than before.
    brake.observe(100, NEVER, 0, second);
    brake.observe(69, NEVER, 0, second + NodeLossBrake.WINDOW_NS);
    assertTrue(brake.isOn());
    NodeLossBrake other = new NodeLossBrake(() -> maxRatio);
    other.observe(100, NEVER, 0, second);
    other.observe(69, NEVER, 0, second + NodeLossBrake.WINDOW_NS + 1);
    assertFalse(other.isOn());
  }

  @Test
  void loss_isSeen_alsoIfAsManyNodesWereThereForLong() {
    for (int i = 0; i < 30; i++) {
      assertFalse(after(1, 100, NEVER));
    }
    assertTrue(after(9, 60, NEVER));
  }

  @Test
  void reason_saysForHowLongAtMost() {
    after(1, 100, NEVER);
    after(1, 60, NEVER);
    assertTrue(brake.reason(START_NS + TimeUnit.MINUTES.toNanos(5)).endsWith("for 27 more minutes at most"));
    assertTrue(after(1, 60, TimeUnit.MINUTES.toMillis(2) - 1), "an admin resumed before");
    assertFalse(after(1, 60, TimeUnit.MINUTES.toMillis(2)));
  }
}
