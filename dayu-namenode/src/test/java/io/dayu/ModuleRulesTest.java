/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.Date;
import java.util.Random;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Holds the directions between our packages and the purity of the core. */
@AnalyzeClasses(packages = "io.dayu", importOptions = ImportOption.DoNotIncludeTests.class)
class ModuleRulesTest {

  @ArchTest
  static final ArchRule CORE_IMPORTS_ONLY_THE_LANGUAGE = classes().that().resideInAnyPackage("io.dayu.model..",
      "io.dayu.schedule..").should().onlyDependOnClassesThat().resideInAnyPackage("java.lang", "java.lang.invoke",
      "java.lang.runtime", "java.util", "java.util.function", "io.dayu.model..", "io.dayu.schedule..");

  /** What java.lang and java.util themselves hold of these; the packages allowed above hold the rest of what lambdas and records need. */
  @ArchTest
  static final ArchRule CORE_HAS_NO_CLOCK_THREAD_OR_CHANCE = noClasses().that().resideInAnyPackage("io.dayu.model..",
      "io.dayu.schedule..").should().dependOnClassesThat().belongToAnyOf(Thread.class, ThreadLocal.class, System.Logger.class,
      Random.class, ThreadLocalRandom.class, SecureRandom.class, Clock.class, Timer.class, Date.class,
      UUID.class)
      .orShould().callMethod(System.class, "nanoTime").orShould().callMethod(System.class, "currentTimeMillis")
      .orShould().callMethod(Math.class, "random").orShould().callMethod(System.class, "getProperty", String.class)
      .orShould().accessField(System.class, "out").orShould().accessField(System.class, "err");

  @ArchTest
  static final ArchRule MODEL_KNOWS_NO_SCHEDULER = noClasses().that().resideInAPackage("io.dayu.model..").should()
      .dependOnClassesThat().resideInAnyPackage("io.dayu.schedule..", "io.dayu.namenode..");

  @ArchTest
  static final ArchRule SCHEDULER_KNOWS_NO_NAMENODE = noClasses().that().resideInAPackage("io.dayu.schedule..").should()
      .dependOnClassesThat().resideInAnyPackage("io.dayu.namenode..", "io.dayu.protocol..", "io.dayu.conf..");

  @ArchTest
  static void rules_areTested_onTheClassesOfTheCore(JavaClasses all) {
    assertTrue(all.contain("io.dayu.model.TimeslotPlan") && all.contain("io.dayu.schedule.DayuScheduler"));
  }
}
