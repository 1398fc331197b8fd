/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import io.dayu.demo.TimeslotFeed.Status;
import io.dayu.harness.Await;
import io.dayu.programs.Screen;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Watches that it is Dayu that recovers, and shows its timeslots. Single-threaded. Recovery by stock HDFS instead of
 * Dayu is a {@link DemoFailure}.
 */
final class DayuWatcher {
  private static final Duration STATE_LIMIT = Duration.ofSeconds(60);
  private static final Duration COUNT_LIMIT = Duration.ofSeconds(30);

  private final Screen screen;
  private final TimeslotFeed feed;
  private Status before;
  private long lastTimeslot;

  DayuWatcher(Screen screen, TimeslotFeed feed) {
    this.screen = screen;
    this.feed = feed;
  }

  void awaitActive() throws Exception {
    screen.say("Waiting until Dayu has taken over from the stock replication policy.");
    try {
      Await.until("state DAYU", STATE_LIMIT, () -> feed.read().state().equals("DAYU"));
    } catch (AssertionError late) {
      Status status = feed.read();
      throw new DemoFailure("Dayu is in state " + status.state() + " after " + STATE_LIMIT.toSeconds() + " s: "
          + status.reason());
    }
    screen.say("Dayu is active (state DAYU): stock re-replication is suspended.");
  }

  /** Called before the failure: recovery is counted from here on. */
  void beforeFailure() throws IOException {
    before = feed.read();
    lastTimeslot = before.timeslot().number();
  }

  /** Shows a timeslot that has begun since the last call. Returns the bytes that transfers under way have received. */
  long look() throws IOException, DemoFailure {
    Status now = feed.read();
    if (!now.state().equals("DAYU")) {
      throw new DemoFailure("Dayu gave recovery back: state " + now.state() + ", " + now.reason());
    }
    if (now.timeslot().number() != lastTimeslot) {
      lastTimeslot = now.timeslot().number();
      screen.say("timeslot %-4d planned %-4d rejected %-4d finished %-4d running %-4d waiting %d",
          now.timeslot().number(),
          now.timeslot().planned(), now.timeslot().rejected(), now.timeslot().finished(), now.runningTransfers(),
          now.waitingBlocks());
    }
    return now.progressBytes();
  }

  /**
   * The figures that Dayu counted for the failure. They must be at least what was lost and still exists; Dayu need not
   * count files that clients delete at once.
   */
  Map<String, Object> testify(LostReplicas lost) throws Exception {
    lost.forgetDeleted();
    // The block map knows of the last replicas a little before Dayu has counted them.
    Await.holdsWithin(COUNT_LIMIT, () -> feed.read().totals().finished() - before.totals().finished() >= lost.blocks());
    Status after = feed.read();
    long finished = after.totals().finished() - before.totals().finished();
    long recoveredBytes = after.totals().recoveredBytes() - before.totals().recoveredBytes();
    if (!after.state().equals("DAYU") || finished < lost.blocks() || recoveredBytes < lost.bytes()) {
      throw new DemoFailure("not all of it was recovered by Dayu: state " + after.state() + ", " + finished
          + " transfers and " + recoveredBytes + " bytes finished for " + lost.blocks() + " blocks and " + lost.bytes()
          + " bytes lost");
    }
    // Those of other work, after the last lost block was back, are none of this recovery.
    long timeslots = lastTimeslot - before.timeslot().number();
    screen.say("All by Dayu: %d timeslots until the last block was back, %d transfers, %s%s.", timeslots, finished,
        Screen.mib(recoveredBytes), others(finished, lost.blocks()));
    Map<String, Object> counts = new LinkedHashMap<>();
    counts.put("timeslots", timeslots);
    counts.put("planned", after.totals().planned() - before.totals().planned());
    counts.put("rejected", after.totals().rejected() - before.totals().rejected());
    counts.put("finished", finished);
    counts.put("failed", after.totals().failed() - before.totals().failed());
    counts.put("recoveredBytes", recoveredBytes);
    return counts;
  }

  /** Why there are more transfers than lost blocks that still exist: a clause for people, empty if there are not. */
  static String others(long transfers, long lost) {
    return transfers == lost ? ""
        : "; " + (transfers - lost) + " of them of blocks that clients have deleted since,"
            + " or were writing when the DataNode died";
  }
}
