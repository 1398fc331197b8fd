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
}
