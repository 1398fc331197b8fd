/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.programs;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ClassPathCopyTest {
  @TempDir
  Path temporary;

  @Test
  void entriesOfTheProject_areCopies_andOthersStay() throws IOException {
    Path project = Files.createDirectories(temporary.resolve("project"));
    Path classes = Files.createDirectories(project.resolve("target/classes/io"));
    Files.writeString(classes.resolve("A.class"), "a");
    Path jar = Files.writeString(project.resolve("b.jar"), "b");
    Path other = Files.writeString(temporary.resolve("c.jar"), "c");
    ClassPathCopy copy = ClassPathCopy.of(String.join(File.pathSeparator, classes.getParent().toString(),
        jar.toString(), other.toString()), project);
    String[] entries = copy.text().split(File.pathSeparator);
    Files.writeString(jar, "rebuilt");
    Files.delete(classes.resolve("A.class"));
    assertEquals("a", Files.readString(Path.of(entries[0], "io", "A.class")));
    assertEquals("b", Files.readString(Path.of(entries[1])));
    assertEquals(other.toString(), entries[2]);
    copy.delete();
    assertFalse(Files.exists(copy.directory()));
    assertTrue(Files.exists(other));
  }
}
