/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.scenario;

import io.dayu.harness.scenario.Fault.Argument;

import java.util.EnumSet;
import java.util.Set;

/**
 * One fault and its moment. Immutable. Which of the arguments are needed depends on the fault; the others must not be
 * given.
 *
 * @param when a {@link Moment}
 * @param node a number, {@code fullest} (the running node with the most blocks), {@code random} (a running one, by the
 *     seed), or a name that an earlier step gave
 * @param as a name for the node, for later steps
 * @param volume number of a volume of the node
 * @param file path of a file
 */
public record Step(Moment when, Fault fault, String node, String as, Integer volume, String file, Long bytes,
    Integer replication) {
  public Step {
    Scenario.require(when != null, "faults: when");
    Scenario.require(fault != null, "faults: fault");
    Set<Argument> given = EnumSet.noneOf(Argument.class);
    addIf(given, node != null, Argument.NODE);
    addIf(given, volume != null, Argument.VOLUME);
    addIf(given, file != null, Argument.FILE);
    addIf(given, bytes != null, Argument.BYTES);
    addIf(given, replication != null, Argument.REPLICATION);
    Scenario.require(given.equals(fault.arguments()),
        "faults: " + fault + " with " + fault.arguments() + ", not " + given);
    Scenario.require(as == null || node != null, "faults: a node for the name " + as);
  }

  private static void addIf(Set<Argument> given, boolean isGiven, Argument argument) {
    if (isGiven) {
      given.add(argument);
    }
  }
}
