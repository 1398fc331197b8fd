/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.namenode.AdminControl.Mode;
import io.dayu.namenode.AdminControl.ModeChange;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What holds after one admin's command and another. */
class AdminControlTest {
  private final AdminControl control = new AdminControl();

  @Test
  void commandThatRepeats_withoutNote_keepsTheFirst() {
    assertEquals(Mode.RUN, control.command(Mode.PAUSED, "alice", "backup", 1).mode());
    ModeChange first = new ModeChange(Mode.PAUSED, "alice", "backup", 1);
    assertEquals(first, control.command(Mode.PAUSED, "bob", "", 2));
    assertEquals(first, control.modeChange());
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
    control.command(Mode.PAUSED, "alice", "backup", 1);
    assertEquals("backup", control.command(Mode.PAUSED, "bob", "until six", 2).note());
    assertEquals(new ModeChange(Mode.PAUSED, "bob", "until six", 2), control.modeChange());
    assertEquals("until six", control.command(Mode.RUN, "carol", "", 3).note());
    assertEquals(new ModeChange(Mode.RUN, "carol", "", 3), control.modeChange());
    control.command(Mode.RUN, "dave", "", 4);
    assertEquals(4, control.modeChange().sinceMs(), "the latest command counts among NameNodes");
  }
}
