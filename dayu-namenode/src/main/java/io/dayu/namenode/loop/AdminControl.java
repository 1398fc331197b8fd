/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import com.fasterxml.jackson.annotation.JsonValue;
import io.dayu.conf.Setting;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/**
 * What an admin has told Dayu on this NameNode to do: run, pause, leave recovery to stock HDFS, or only watch it. Holds
 * until it is changed or the NameNode restarts, across failovers; a pause ends by itself. Thread-safe: a change
 * replaces all at once.
 */
public final class AdminControl {
  private static final Logger LOG = LoggerFactory.getLogger(AdminControl.class);

  /**
   * RUN: as Dayu decides. PAUSED: nothing new is begun, or only for blocks of the highest risk. STOCK: stock HDFS
   * recovers. SHADOW: the same, and Dayu logs what it would do.
   */
  public enum Mode {
    RUN, PAUSED, STOCK, SHADOW;

    /** The mode of this word. */
    public static Mode of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /** Its name for people and in JSON. */
    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A command that holds.
   *
   * @param by who gave it; for the mode in which a NameNode starts, empty or the setting that says so
   * @param note what they said; may be empty
   * @param sinceMs when, in milliseconds since the epoch; 0 for the mode in which a NameNode starts
   * @param untilMs when a pause ends by itself; 0 for other modes
   * @param all whether a pause holds for blocks of the highest risk, too
   */
  public record ModeChange(Mode mode, String by, String note, long sinceMs, long untilMs, boolean all) {
    /** A mode that is no pause. */
    public ModeChange(Mode mode, String by, String note, long sinceMs) {
      this(mode, by, note, sinceMs, 0, false);
    }

    /** For people: who, when and why. */
    public String describe() {
      String what = switch (mode) {
        case RUN -> "resumed";
        case PAUSED -> "paused until " + time(untilMs) + ": no new transfers are begun"
            + (all ? "" : ", except for blocks of the highest risk");
        case STOCK -> "left to stock HDFS";
        case SHADOW -> "left to stock HDFS; Dayu logs what it would do (shadow)";
      };
      String when =
          sinceMs == 0 ? "in hdfs-site.xml" : "at " + time(sinceMs);
      return what + "; by " + by + " " + when + (note.isEmpty() ? "" : ": " + note);
    }

    private static Instant time(long ms) {
      return Instant.ofEpochMilli(ms).truncatedTo(ChronoUnit.SECONDS);
    }
  }

  /** The note of a pause that has ended by itself. It comes with the command to the other NameNodes. */
  private static final String PAUSE_OVER = "the time of the pause is over";

  private volatile boolean askingPeers;
  private volatile ModeChange modeChange = new ModeChange(Mode.RUN, "", "", 0);

  public ModeChange modeChange() {
    return modeChange;
  }

  /** The mode from the start on, until an admin gives a command or another NameNode knows of one. */
  public void startIn(Mode mode) {
    if (mode != Mode.RUN) {
      set(new ModeChange(mode, Setting.STARTUP_MODE.key(), "", 0));
    }
  }

  public synchronized void set(ModeChange next) {
    LOG.info("Dayu: recovery is {}", next.describe());
    modeChange = next;
  }

  /**
   * An admin's command. Repeating the command in force without a note changes nothing, so its note stays.
   *
   * @return what held before
   */
  public synchronized ModeChange command(Mode mode, String user, String note, long nowMs) {
    ModeChange before = modeChange;
    if (mode == Mode.RUN || mode != before.mode() || !note.isEmpty() || before.sinceMs() == 0) {
      set(new ModeChange(mode, user, note, nowMs));
    }
    return before;
  }

  /** An admin's {@code -pause}. Repeated without a note it lasts from now on, and the old note stays. */
  public synchronized ModeChange pause(PauseRequest request, String user, long nowMs) {
    ModeChange before = modeChange;
    boolean again = before.mode() == Mode.PAUSED && request.note().isEmpty();
    set(new ModeChange(Mode.PAUSED, user, again ? before.note() : request.note(), nowMs, nowMs + request.millis(),
        request.all()));
    return before;
  }

  /**
   * Ends a pause whose time is over; every NameNode notes the same. Returns whether there was one.
   *
   * @param nowMs milliseconds since the epoch
   */
  synchronized boolean endPause(long nowMs) {
    if (!paused() || nowMs < modeChange.untilMs()) {
      return false;
    }
    set(new ModeChange(Mode.RUN, modeChange.by(), PAUSE_OVER, modeChange.untilMs()));
    return true;
  }

  /** Takes over the command that another NameNode knows of, unless there is a later one here. */
  public synchronized void setIfLater(ModeChange other) {
    if (other.sinceMs() > modeChange.sinceMs()) {
      set(other);
    }
  }

  /** Other NameNodes are asked what an admin told them; until {@link #peersAnswered} no timeslot is planned. */
  public void askPeers() {
    askingPeers = true;
  }

  public void peersAnswered() {
    askingPeers = false;
  }

  /** Whether it is not yet known what an admin told the other NameNodes. */
  public boolean isAskingPeers() {
    return askingPeers;
  }

  /** Whether a pause holds for blocks of this risk; 0 is the highest. */
  public boolean holdsBack(int risk) {
    ModeChange now = modeChange;
    return now.mode() == Mode.PAUSED && (now.all() || risk > 0);
  }

  /** Whether no block at all may be planned. */
  public boolean stopsAll() {
    return askingPeers || holdsBack(0);
  }

  public boolean paused() {
    return modeChange.mode() == Mode.PAUSED;
  }

  /**
   * When an admin last resumed recovery, in milliseconds since the epoch; 0 if another command holds, or none, or a
   * pause has ended by itself.
   */
  long resumedMs() {
    ModeChange now = modeChange;
    return now.mode() == Mode.RUN && !now.note().equals(PAUSE_OVER) ? now.sinceMs() : 0;
  }

  /** Whether recovery is stock's until an admin says otherwise. */
  public boolean leftToStock() {
    return modeChange.mode() == Mode.STOCK || modeChange.mode() == Mode.SHADOW;
  }
}
