/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

/** What is kept of DataNodes without an agent that reports. */
class MissingAgentReasonsTest {
  private final MissingAgentReasons reasons = new MissingAgentReasons();

  @Test
  void reason_isKeptForAWhile_untilAReportIsAccepted() {
    reasons.add("dn1", "bad principal", 5);
    assertEquals("bad principal", reasons.reason("dn1", 5 + MissingAgentReasons.MAX_AGE_NS));
    assertNull(reasons.reason("dn1", 6 + MissingAgentReasons.MAX_AGE_NS));
    assertNull(reasons.reason("dn2", 5));
    reasons.remove("dn1");
    assertNull(reasons.reason("dn1", 5));
  }

  /** {@code -status} and {@code -nodes} write it to an admin's terminal. */
  @Test
  void reason_isOneLine_andSteersNoTerminal() {
    reasons.add("dn1", "a\nb\u001b[2Jc\u2028\u0007", 5);
    assertEquals("a b [2Jc ", reasons.reason("dn1", 5));
  }

  @Test
  void agents_areBounded_andLongReasonsAreCut() {
    for (int i = 0; i < MissingAgentReasons.MAX_NODES; i++) {
      reasons.add("dn" + i, "x".repeat(i == 0 ? 5_000 : 1), 0);
    }
    assertEquals(300, reasons.reason("dn0", 0).length());
    reasons.add("one more", "x", 1);
    assertNull(reasons.reason("one more", 1));
    long laterNs = MissingAgentReasons.MAX_AGE_NS + 1;
    reasons.add("one more", "x", laterNs);
    assertEquals("x", reasons.reason("one more", laterNs));
    assertNull(reasons.reason("dn1", 0), "old ones have made room");
  }
}
