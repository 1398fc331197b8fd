/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.admin.AdminException;
import io.dayu.namenode.loop.AdminControl.Mode;
import io.dayu.namenode.loop.AdminControl.ModeChange;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What holds after one admin's command and another. */
class AdminControlTest {
  private final AdminControl control = new AdminControl();

  @Test
  void commandThatRepeats_withoutNote_keepsTheFirst() {
    assertEquals(Mode.RUN, control.command(Mode.STOCK, "alice", "backup", 1).mode());
    ModeChange first = new ModeChange(Mode.STOCK, "alice", "backup", 1);
    assertEquals(first, control.command(Mode.STOCK, "bob", "", 2));
    assertEquals(first, control.modeChange());
  }

  @Test
  void pause_endsByItself_andLaterThanAnEarlierCommand() {
    control.pause(new PauseRequest(1_000, false, "backup"), "alice", 5);
    assertFalse(control.stopsAll(), "the highest risk goes on");
    assertFalse(control.endPause(1_004));
    assertTrue(control.endPause(1_005));
    assertEquals(Mode.RUN, control.modeChange().mode());
    assertEquals(1_005, control.modeChange().sinceMs(), "the same on every NameNode");
    assertFalse(control.endPause(9_999));
  }

  @Test
  void pauseThatRepeats_lastsFromThenOn_andKeepsItsNote() {
    control.pause(new PauseRequest(1_000, false, "backup"), "alice", 5);
    assertEquals("backup", control.pause(new PauseRequest(1_000, true, ""), "bob", 10).note());
    assertEquals(new ModeChange(Mode.PAUSED, "bob", "backup", 10, 1_010, true), control.modeChange());
    assertTrue(control.stopsAll());
    assertTrue(control.modeChange().describe().startsWith("paused until 1970-01-01T00:00:01Z: no new transfers"));
  }

  @Test
  void pauseRequest_hasOptionsBeforeItsNote() throws Exception {
    assertEquals(new PauseRequest(PauseRequest.DEFAULT_MS, false, ""), PauseRequest.parse(""));
    assertEquals(new PauseRequest(PauseRequest.DEFAULT_MS, false, "until six -all"),
        PauseRequest.parse("until six -all"));
    assertEquals(new PauseRequest(7_200_000, true, "backup"), PauseRequest.parse("-all -for 2h backup"));
    assertEquals(new PauseRequest(90_000, true, ""), PauseRequest.parse(" -for 90s -all"));
    for (String wrong : new String[] {"-for", "-for 2", "-for 25h", "-for 0m", "-for 2d night"}) {
      assertThrows(AdminException.class, () -> PauseRequest.parse(wrong), wrong);
    }
  }

  @Test
  void modeOfTheStart_isOlderThanEachCommand() {
    control.startIn(Mode.RUN);
    assertEquals(new ModeChange(Mode.RUN, "", "", 0), control.modeChange());
    control.startIn(Mode.SHADOW);
    assertTrue(control.leftToStock());
    assertEquals("left to stock HDFS; Dayu logs what it would do (shadow); by dayu.namenode.startup.mode in "
        + "hdfs-site.xml", control.modeChange().describe());
    control.setIfLater(new ModeChange(Mode.RUN, "alice", "", 1));
    assertEquals(Mode.RUN, control.modeChange().mode());
  }

  @Test
  void commandOfTheModeOfTheStart_isACommand() {
    control.startIn(Mode.SHADOW);
    assertEquals(0, control.command(Mode.SHADOW, "alice", "", 1).sinceMs());
    assertEquals(new ModeChange(Mode.SHADOW, "alice", "", 1), control.modeChange());
  }

  @Test
  void commandWithNoteOrOfAnotherMode_replaces_andSaysWhatHeld() {
    control.command(Mode.STOCK, "alice", "backup", 1);
    assertEquals("backup", control.command(Mode.STOCK, "bob", "until six", 2).note());
    assertEquals(new ModeChange(Mode.STOCK, "bob", "until six", 2), control.modeChange());
    assertEquals("until six", control.command(Mode.RUN, "carol", "", 3).note());
    assertEquals(new ModeChange(Mode.RUN, "carol", "", 3), control.modeChange());
    control.command(Mode.RUN, "dave", "", 4);
    assertEquals(4, control.modeChange().sinceMs(), "the latest command counts among NameNodes");
  }

  @Test
  void commandOfAnotherNameNode_isTakenOver_ifItIsLater() {
    ModeChange own = new ModeChange(Mode.STOCK, "alice", "", 5);
    control.set(own);
    control.setIfLater(new ModeChange(Mode.RUN, "bob", "", 4));
    control.setIfLater(new ModeChange(Mode.RUN, "bob", "", 5));
    assertEquals(own, control.modeChange());
    control.setIfLater(new ModeChange(Mode.RUN, "bob", "", 6));
    assertEquals(new ModeChange(Mode.RUN, "bob", "", 6), control.modeChange());
  }

  @Test
  void nothingIsPlanned_whileOtherNameNodesAreAsked() {
    assertFalse(control.stopsAll());
    control.askPeers();
    assertTrue(control.isAskingPeers());
    assertTrue(control.stopsAll());
    control.peersAnswered();
    assertFalse(control.isAskingPeers());
    assertFalse(control.stopsAll());
  }

  @Test
  void pause_holdsBackLowerRisks_orAll() {
    assertFalse(control.paused());
    assertFalse(control.holdsBack(1));
    control.pause(new PauseRequest(1_000, false, ""), "alice", 5);
    assertTrue(control.paused());
    assertTrue(control.holdsBack(1));
    assertFalse(control.holdsBack(0));
    control.pause(new PauseRequest(1_000, true, ""), "alice", 6);
    assertTrue(control.holdsBack(0));
    control.command(Mode.STOCK, "alice", "", 7);
    assertFalse(control.paused());
    assertFalse(control.holdsBack(0));
  }

  @Test
  void pauseThatRepeats_withANote_hasTheNewOne() {
    control.command(Mode.STOCK, "alice", "a trial", 1);
    control.pause(new PauseRequest(1_000, false, ""), "alice", 5);
    assertEquals("", control.modeChange().note(), "that note was of another command");
    control.pause(new PauseRequest(1_000, false, "backup"), "alice", 6);
    assertEquals("backup", control.modeChange().note());
    control.pause(new PauseRequest(1_000, false, "until six"), "alice", 7);
    assertEquals("until six", control.modeChange().note());
  }

  @Test
  void recovery_isLeftToStock_byTwoModes() {
    assertFalse(control.leftToStock());
    control.command(Mode.STOCK, "alice", "", 1);
    assertTrue(control.leftToStock());
    control.command(Mode.SHADOW, "alice", "", 2);
    assertTrue(control.leftToStock());
    control.pause(new PauseRequest(1_000, false, ""), "alice", 3);
    assertFalse(control.leftToStock());
  }

  /** Nodes that are lost stop recovery once more after a pause, but not after an admin has resumed it. */
  @Test
  void recovery_isResumedByAnAdminOnly() {
    assertEquals(0, control.resumedMs());
    control.command(Mode.RUN, "alice", "", 7);
    assertEquals(7, control.resumedMs());
    control.pause(new PauseRequest(1_000, false, ""), "alice", 8);
    assertEquals(0, control.resumedMs());
    control.endPause(1_008);
    assertEquals(0, control.resumedMs(), "it has ended by itself");
  }

  @Test
  void describe_saysWhoWhenAndWhy() {
    control.pause(new PauseRequest(61_000, false, "backup"), "alice", 5_600);
    assertEquals("paused until 1970-01-01T00:01:06Z: no new transfers are begun, except for blocks of the highest risk;"
        + " by alice at 1970-01-01T00:00:05Z: backup", control.modeChange().describe());
    control.pause(new PauseRequest(61_000, true, ""), "bob", 6_600);
    assertEquals("paused until 1970-01-01T00:01:07Z: no new transfers are begun; by bob at 1970-01-01T00:00:06Z: "
        + "backup", control.modeChange().describe());
    control.command(Mode.RUN, "carol", "", 8_000);
    assertEquals("resumed; by carol at 1970-01-01T00:00:08Z", control.modeChange().describe());
  }

  @Test
  void modes_haveWords() {
    for (Mode mode : Mode.values()) {
      assertEquals(mode, Mode.of(mode.word()));
    }
    assertEquals("shadow", Mode.SHADOW.word());
  }
}
