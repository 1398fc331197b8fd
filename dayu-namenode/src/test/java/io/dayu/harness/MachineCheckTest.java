/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class MachineCheckTest {
  @Test
  void machineWithLoopbackAndRoom_isEnough(@TempDir Path directory) throws Exception {
    MachineCheck.check(directory);
  }

  @Test
  void fullDisk_isNamed(@TempDir Path directory) {
    String said = assertThrows(IllegalStateException.class,
        () -> MachineCheck.requireRoom(directory, Long.MAX_VALUE)).getMessage();
    assertTrue(said.contains(directory.toString()) && said.endsWith(" MB left"), said);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/home/me/my dayu/test", "/home/me/c#/test", "/home/me/100%/test", "/home/me/[old]/test"})
  void directoryInWhichDataNodesDoNotStart_isNamed(String directory) {
    String said = assertThrows(IllegalStateException.class,
        () -> MachineCheck.requirePlainPath(Path.of(directory))).getMessage();
    assertTrue(said.endsWith("and this is " + directory), said);
  }

  @Test
  void otherDirectories_areGood() {
    MachineCheck.requirePlainPath(Path.of("/home/me/dayu-0.1_(2)/test"));
  }

  /** An address of the range for documentation, which no machine has. */
  @Test
  void missingAddress_isNamed() {
    String said = assertThrows(IllegalStateException.class,
        () -> MachineCheck.requireLoopback(new byte[] {(byte) 192, 0, 2, 1})).getMessage();
    assertTrue(said.contains("nothing can listen on 192.0.2.1"), said);
  }
}
