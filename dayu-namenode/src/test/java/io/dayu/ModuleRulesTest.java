/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.LocationProvider;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.Date;
import java.util.Random;
import java.util.Set;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Which package and which class of this module may know which, and the purity of the core. The test of the same name in
 * {@code dayu-datanode} does the same there.
 */
@AnalyzeClasses(locations = ModuleRulesTest.ThisModule.class)
class ModuleRulesTest {
  /** The classes of this module, those in Hadoop's packages included. */
  static final class ThisModule implements LocationProvider {
    @Override
    public Set<Location> get(Class<?> testClass) {
      return Set.of(Location.of(BlockManagerAccess.class.getProtectionDomain().getCodeSource().getLocation()));
    }
  }

  /** {@code cli, web -> admin}, {@code schedule -> model}, {@code hadoop -> blocks}, {@code namenode ->} all others. */
  @ArchTest
  static final ArchRule LAYERS = layeredArchitecture().consideringOnlyDependenciesInLayers()
      .layer("namenode").definedBy("io.dayu.namenode..")
      .layer("cli").definedBy("io.dayu.cli..")
      .layer("web").definedBy("io.dayu.web..")
      .layer("admin").definedBy("io.dayu.admin..")
      .layer("schedule").definedBy("io.dayu.schedule..")
      .layer("model").definedBy("io.dayu.model..")
      .layer("blocks").definedBy("io.dayu.blocks..")
      .layer("journal").definedBy("io.dayu.journal..")
      .layer("hadoop").definedBy(ours("org.apache.hadoop"))
      .optionalLayer("protocol").definedBy("io.dayu.protocol..")
      .optionalLayer("conf").definedBy("io.dayu.conf..")
      .optionalLayer("metrics").definedBy("io.dayu.metrics..")
      .whereLayer("namenode").mayNotBeAccessedByAnyLayer()
      .whereLayer("cli").mayNotBeAccessedByAnyLayer()
      .whereLayer("web").mayOnlyBeAccessedByLayers("namenode")
      .whereLayer("admin").mayOnlyBeAccessedByLayers("namenode", "cli", "web")
      .whereLayer("schedule").mayOnlyBeAccessedByLayers("namenode")
      .whereLayer("model").mayOnlyBeAccessedByLayers("namenode", "schedule")
      .whereLayer("blocks").mayOnlyBeAccessedByLayers("namenode", "hadoop")
      .whereLayer("journal").mayOnlyBeAccessedByLayers("namenode")
      .whereLayer("hadoop").mayOnlyBeAccessedByLayers("namenode")
      .whereLayer("protocol").mayOnlyBeAccessedByLayers("namenode")
      .whereLayer("conf").mayOnlyBeAccessedByLayers("namenode")
      .whereLayer("metrics").mayOnlyBeAccessedByLayers("namenode");

  private static DescribedPredicate<JavaClass> ours(String root) {
    return DescribedPredicate.describe("of ours in " + root,
        one -> one.getPackageName().startsWith(root) && one.getSource().isPresent());
  }

  /** The packages below the loop do not know it. */
  @ArchTest
  static final ArchRule LOOP_IS_ABOVE = noClasses().that().resideInAPackage("io.dayu.namenode.(*)")
      .should().dependOnClassesThat().resideInAPackage("io.dayu.namenode");

  /** What people see knows none of the messages and settings by which it came about. */
  @ArchTest
  static final ArchRule STATUS_KNOWS_NUMBERS_ONLY = noClasses().that().resideInAPackage("io.dayu.namenode.status")
      .should().dependOnClassesThat().resideInAnyPackage("io.dayu.namenode.agents", "io.dayu.protocol..",
          "io.dayu.conf..");

  @ArchTest
  static final ArchRule NO_CYCLES_OF_PACKAGES = slices().matching("io.dayu.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule NO_CYCLES_OF_CLASSES = slices().assignedFrom(new SliceAssignment() {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass one) {
      return SliceIdentifier.of(one.getName().replaceFirst("\\$.*", ""));
    }

    @Override
    public String getDescription() {
      return "classes with those that are nested in them";
    }
  }).should().beFreeOfCycles();

  @ArchTest
  static final ArchRule NO_AGENT_ON_THE_NAMENODE = noClasses().should()
      .dependOnClassesThat().resideInAPackage("io.dayu.datanode..");

  /** The simulator reads journals without Hadoop. */
  @ArchTest
  static final ArchRule JOURNAL_IMPORTS_ONLY_THE_LANGUAGE = classes().that().resideInAPackage("io.dayu.journal..")
      .should().onlyDependOnClassesThat().resideInAnyPackage("java..", "io.dayu.journal..");

  @ArchTest
  static final ArchRule BLOCKS_ARE_PLAIN_RECORDS = classes().that().resideInAPackage("io.dayu.blocks..")
      .should().onlyDependOnClassesThat().resideInAnyPackage("java..", "io.dayu.blocks..");

  @ArchTest
  static final ArchRule CORE_IMPORTS_ONLY_THE_LANGUAGE = classes().that().resideInAnyPackage("io.dayu.model..",
      "io.dayu.schedule..").should().onlyDependOnClassesThat().resideInAnyPackage("java.lang", "java.lang.invoke",
          "java.lang.runtime", "java.util", "java.util.function", "io.dayu.model..", "io.dayu.schedule..");

  /**
   * What java.lang and java.util themselves hold of these; the packages allowed above hold the rest of what lambdas and
   * records need.
   */
  @ArchTest
  static final ArchRule CORE_HAS_NO_CLOCK_THREAD_OR_CHANCE =
      noClasses().that().resideInAnyPackage("io.dayu.model..", "io.dayu.schedule..").should().dependOnClassesThat()
          .belongToAnyOf(Thread.class, ThreadLocal.class, System.Logger.class, Random.class, ThreadLocalRandom.class,
              SecureRandom.class, Clock.class, Timer.class, Date.class, UUID.class)
          .orShould().callMethod(System.class, "nanoTime").orShould().callMethod(System.class, "currentTimeMillis")
          .orShould().callMethod(Math.class, "random").orShould().callMethod(System.class, "getProperty", String.class)
          .orShould().accessField(System.class, "out").orShould().accessField(System.class, "err");

  @ArchTest
  static void rules_areTested_onTheClassesOfTheModule(JavaClasses all) {
    assertTrue(all.contain("io.dayu.model.TimeslotPlan") && all.contain("io.dayu.schedule.DayuScheduler")
        && all.contain("io.dayu.namenode.RecoveryLoop") && all.contain(BlockManagerAccess.class));
  }
}
