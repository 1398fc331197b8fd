/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.optimum;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.dayu.ClassCycles;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.Date;
import java.util.Random;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What the general solvers may know: the scheduler's interface and model, the simulator's registry of algorithms, and
 * OR-Tools. The tests of the same name in the other modules do the same there.
 */
@AnalyzeClasses(packages = "io.dayu.optimum", importOptions = ImportOption.DoNotIncludeTests.class)
class OptimumRulesTest {
  /** These packages do not know the solvers' single package, so this forbids cycles of packages, too. */
  @ArchTest
  static final ArchRule SOLVERS_KNOW_ONLY_THE_CORE_AND_THE_REGISTRY = classes().should().onlyDependOnClassesThat()
      .resideInAnyPackage("java..", "io.dayu.optimum", "io.dayu.model", "io.dayu.schedule..", "io.dayu.sim.algorithm",
          "com.google.ortools..");

  @ArchTest
  static final ArchRule NO_CYCLES_OF_CLASSES = ClassCycles.none();

  /** OR-Tools holds the time limit. Nothing else depends on a clock or on chance. */
  @ArchTest
  static final ArchRule SOLVERS_READ_NO_CLOCK = noClasses()
      .should().dependOnClassesThat().belongToAnyOf(Random.class, ThreadLocalRandom.class, SecureRandom.class,
          Clock.class, Instant.class, Timer.class, Date.class, UUID.class)
      .orShould().callMethod(System.class, "nanoTime").orShould().callMethod(System.class, "currentTimeMillis")
      .orShould().callMethod(Math.class, "random");

  @ArchTest
  static void rules_areTested_onTheClassesOfTheModule(JavaClasses all) {
    assertTrue(all.contain("io.dayu.optimum.MilpScheduler") && all.contain("io.dayu.optimum.FlowScheduler"));
  }
}
