/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.LocationProvider;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.TransferSource;
import io.dayu.namenode.transfers.TransferTracker;
import io.dayu.protocol.PrintableText;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.Date;
import java.util.List;
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
 * Which packages and classes of this module may use each other, and the purity of the core. {@code DataNodeRulesTest}
 * does the same in {@code dayu-datanode}.
 */
@AnalyzeClasses(locations = NameNodeRulesTest.ThisModule.class)
class NameNodeRulesTest {
  private static final Location HERE =
      Location.of(BlockManagerAccess.class.getProtectionDomain().getCodeSource().getLocation());

  /** The classes of this module, those in Hadoop's packages included. */
  static final class ThisModule implements LocationProvider {
    @Override
    public Set<Location> get(Class<?> testClass) {
      return Set.of(HERE);
    }
  }

  /** Our classes in Hadoop's packages. */
  private static final String HADOOP = "hadoop";

  /** Each package in {@code io.dayu}, top to bottom, and those below it that it may use. */
  private static final List<Row> ROWS = List.of(
      row("cli", "admin", "check", "conf"),
      row("namenode", "namenode.admin", "namenode.monitor", "namenode.loop", "namenode.agents", "namenode.status",
          "web", "admin", "schedule", "blocks", HADOOP, "conf", "metrics", "protocol"),
      row("namenode.admin", "namenode.monitor", "namenode.loop", "namenode.planning", "namenode.cluster",
          "namenode.transfers", "namenode.agents", "namenode.exchange", "namenode.status", "web", "admin", "schedule",
          "model", "blocks",
          "conf"),
      row("namenode.monitor", "namenode.loop", "namenode.recording", "namenode.cluster", "namenode.transfers",
          "namenode.agents", "namenode.exchange", "namenode.status", "rules", "blocks", "conf", "metrics"),
      row("namenode.loop", "namenode.recording", "namenode.planning", "namenode.cluster", "namenode.transfers",
          "namenode.agents", "namenode.exchange", "namenode.status", "admin", "schedule", "model", "blocks", "conf"),
      row("namenode.recording", "namenode.planning", "namenode.transfers", "namenode.journal", "namenode.exchange",
          "namenode.status",
          "journal", "blocks", "conf"),
      row("namenode.planning", "namenode.transfers", "namenode.exchange", "schedule", "schedule.choice", "rules",
          "queue", "model", "blocks",
          "conf"),
      row("namenode.cluster", "namenode.transfers", "namenode.agents", "namenode.exchange", "schedule",
          "schedule.forecast", "blocks",
          "conf"),
      row("namenode.transfers", "namenode.agents", "namenode.exchange", "namenode.status", "schedule.forecast", "rules",
          "blocks", "conf"),
      row("namenode.agents", "namenode.exchange", "model", "blocks", "conf", "protocol"),
      row("namenode.exchange", "blocks"),
      row("namenode.status", "blocks", "metrics"),
      row("namenode.journal", "journal"),
      row("web", "admin", "protocol"),
      row("admin", "protocol"),
      row("schedule", "schedule.paper", "schedule.choice", "schedule.rates", "schedule.forecast", "rules", "model"),
      row("schedule.paper", "schedule.choice", "schedule.rates", "schedule.forecast", "model"),
      row("schedule.choice", "model"),
      row("schedule.rates", "model"),
      row("schedule.forecast"),
      row("queue", "model"),
      row("rules", "model"),
      row("model"),
      row("journal"),
      row("blocks"));

  private record Row(String name, String... mayUse) {
  }

  private static Row row(String name, String... mayUse) {
    return new Row(name, mayUse);
  }

  @ArchTest
  static final ArchRule LAYERS = layers();

  private static ArchRule layers() {
    LayeredArchitecture layers = layeredArchitecture().consideringOnlyDependenciesInLayers()
        .layer(HADOOP).definedBy(ours("org.apache.hadoop"));
    for (String shared : List.of("check", "conf", "metrics", "protocol")) {
      layers = layers.optionalLayer(shared).definedBy("io.dayu." + shared);
    }
    for (Row row : ROWS) {
      layers = layers.layer(row.name()).definedBy("io.dayu." + row.name());
    }
    layers = layers.whereLayer(HADOOP).mayOnlyAccessLayers("blocks");
    for (Row row : ROWS) {
      layers = row.mayUse().length == 0 ? layers.whereLayer(row.name()).mayNotAccessAnyLayer()
          : layers.whereLayer(row.name()).mayOnlyAccessLayers(row.mayUse());
    }
    return layers;
  }

  private static DescribedPredicate<JavaClass> ours(String root) {
    String here = HERE.asURI().getSchemeSpecificPart();
    return DescribedPredicate.describe("of this module in " + root, one -> one.getPackageName().startsWith(root)
        && one.getSource().filter(source -> source.getUri().getSchemeSpecificPart().contains(here)).isPresent());
  }

  @ArchTest
  static final ArchRule EACH_PACKAGE_HAS_A_ROW = classes().that().resideInAPackage("io.dayu..")
      .should().resideInAnyPackage(ROWS.stream().map(row -> "io.dayu." + row.name()).toArray(String[]::new));

  @ArchTest
  static final ArchRule NO_CYCLES_OF_PACKAGES = slices().matching("io.dayu.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule NO_CYCLES_OF_CLASSES = ClassCycles.none();

  @ArchTest
  static final ArchRule NO_AGENT_ON_THE_NAMENODE = noClasses().should()
      .dependOnClassesThat().resideInAnyPackage("io.dayu.datanode..", "io.dayu.shaping..");

  /** Text for people ({@code PrintableText}) is no message. */
  @ArchTest
  static final ArchRule MESSAGES_END_WHERE_AGENTS_REPORT =
      noClasses().that().resideOutsideOfPackage("io.dayu.namenode.agents").should().dependOnClassesThat(
          JavaClass.Predicates.resideInAPackage("io.dayu.protocol")
              .and(DescribedPredicate.not(JavaClass.Predicates.equivalentTo(PrintableText.class))));

  /** The methods of {@link Attempt} and of its sources that return nothing are its steps. */
  @ArchTest
  static final ArchRule ONLY_THE_TRACKER_CHANGES_A_TRANSFER =
      noClasses().that().doNotBelongToAnyOf(Attempt.class, TransferSource.class, TransferTracker.class)
          .should().accessTargetWhere(DescribedPredicate.describe("a step of a transfer is taken",
              access -> (access.getTargetOwner().isEquivalentTo(Attempt.class)
                  || access.getTargetOwner().isEquivalentTo(TransferSource.class))
                  && access.getTarget() instanceof CodeUnitAccessTarget target
                  && !target.getName().equals("<init>") && target.getRawReturnType().isEquivalentTo(void.class)));

  /** The simulator reads journals without Hadoop. */
  @ArchTest
  static final ArchRule JOURNAL_IMPORTS_ONLY_THE_LANGUAGE = classes().that().resideInAPackage("io.dayu.journal..")
      .should().onlyDependOnClassesThat().resideInAnyPackage("java..", "io.dayu.journal..");

  @ArchTest
  static final ArchRule BLOCKS_ARE_PLAIN_RECORDS = classes().that().resideInAPackage("io.dayu.blocks..")
      .should().onlyDependOnClassesThat().resideInAnyPackage("java..", "io.dayu.blocks..");

  private static final String[] CORE = {"io.dayu.model..", "io.dayu.queue..", "io.dayu.rules..", "io.dayu.schedule.."};

  @ArchTest
  static final ArchRule CORE_IMPORTS_ONLY_THE_LANGUAGE = classes().that().resideInAnyPackage(CORE)
      .should().onlyDependOnClassesThat(JavaClass.Predicates.resideInAnyPackage(CORE)
          .or(JavaClass.Predicates.resideInAnyPackage("java.lang", "java.lang.invoke", "java.lang.runtime", "java.util",
              "java.util.function")));

  /**
   * What java.lang and java.util themselves hold of these; the packages allowed above hold the rest of what lambdas and
   * records need.
   */
  @ArchTest
  static final ArchRule CORE_HAS_NO_CLOCK_THREAD_OR_CHANCE =
      noClasses().that().resideInAnyPackage(CORE).should().dependOnClassesThat()
          .belongToAnyOf(Thread.class, ThreadLocal.class, System.Logger.class, Random.class, ThreadLocalRandom.class,
              SecureRandom.class, Clock.class, Timer.class, Date.class, UUID.class)
          .orShould().callMethod(System.class, "nanoTime").orShould().callMethod(System.class, "currentTimeMillis")
          .orShould().callMethod(Math.class, "random").orShould().callMethod(System.class, "getProperty", String.class)
          .orShould().accessField(System.class, "out").orShould().accessField(System.class, "err");

  @ArchTest
  static void rules_areTested_onTheClassesOfTheModule(JavaClasses all) {
    assertTrue(all.contain("io.dayu.model.TimeslotPlan") && all.contain("io.dayu.schedule.DayuScheduler")
        && all.contain("io.dayu.namenode.loop.RecoveryLoop") && all.contain(BlockManagerAccess.class));
  }
}
