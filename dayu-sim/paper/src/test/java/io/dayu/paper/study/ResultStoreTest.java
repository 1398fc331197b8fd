/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.study;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ResultStoreTest {
  private static final List<String> COLUMNS = List.of("time", "interference");

  @TempDir
  private Path folder;

  private ResultStore open(String build) throws IOException {
    return new ResultStore(folder.resolve("cases.csv"), build, COLUMNS);
  }

  @Test
  void results_areFoundAgain_byOptionsAndBuild() throws IOException {
    try (ResultStore store = open("b1")) {
      store.put("nodes=3; seed=1", new double[] {1.5, Double.POSITIVE_INFINITY});
      assertArrayEquals(new double[] {1.5, Double.POSITIVE_INFINITY}, store.get("nodes=3; seed=1"));
    }
    try (ResultStore again = open("b1")) {
      assertArrayEquals(new double[] {1.5, Double.POSITIVE_INFINITY}, again.get("nodes=3; seed=1"));
      assertNull(again.get("nodes=3; seed=2"));
    }
    try (ResultStore other = open("b2")) {
      assertNull(other.get("nodes=3; seed=1"));
      other.put("nodes=3; seed=1", new double[] {2, 2});
    }
    try (ResultStore first = open("b1")) {
      assertArrayEquals(new double[] {1.5, Double.POSITIVE_INFINITY}, first.get("nodes=3; seed=1"));
    }
  }

  @Test
  void lineThatAnInterruptCutOff_isNotRead_andTheNextOneIsWhole() throws IOException {
    try (ResultStore store = open("b")) {
      store.put("one", new double[] {1, 1});
    }
    // Cut off within the options: it looks whole but for its end.
    Files.writeString(folder.resolve("cases.csv"), "b,2.0,2.0,tw", StandardOpenOption.APPEND);
    try (ResultStore store = open("b")) {
      assertNull(store.get("tw"));
      store.put("two", new double[] {2, 2});
    }
    try (ResultStore store = open("b")) {
      assertArrayEquals(new double[] {1, 1}, store.get("one"));
      assertArrayEquals(new double[] {2, 2}, store.get("two"));
    }
  }

  @Test
  void otherFile_isRefused() throws IOException {
    Files.writeString(folder.resolve("cases.csv"), "something,else\n1,2\n");
    IOException refusal = assertThrows(IOException.class, () -> open("b"));
    assertTrue(refusal.getMessage().contains("is no file of results"), refusal.getMessage());
  }
}
