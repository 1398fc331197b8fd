/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.cli;

import io.dayu.sim.cli.CommandFixture;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** {@code dayu-sim largest}: the largest cluster for which an algorithm plans in time. */
class LargestCommandTest extends CommandFixture {
  @Test
  void largest_triesSizes_untilOneIsTooLate() {
    assertEquals(0, run("largest --algorithm dayu-paper,G1+W --nodes 10,60 --chunk-size 1MB --within 2m"),
        err::toString);
    String[] lines = out.toString().lines().toArray(String[]::new);
    assertTrue(lines[1].matches(" +10 +714 dayu-paper .*") && lines[4].matches(" +60 +4284 G1\\+W .*"), out::toString);
    assertTrue(lines[6].matches("  dayu-paper   60 nodes, 4284 blocks \\(the last that was tried\\)"), out::toString);
    assertEquals(0, run("largest --algorithm G1+W --nodes 400,10 --uneven --within 1ms"), err::toString);
    assertTrue(out.toString().contains("too late") && out.toString().contains("G1+W         none of these sizes"),
        out::toString);
    assertTrue(out.toString().lines().noneMatch(line -> line.startsWith("     10")), out::toString);
  }
}
