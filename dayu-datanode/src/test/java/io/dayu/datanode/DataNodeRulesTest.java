/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.dayu.datanode.transfer.TransferRegistry;
import org.apache.hadoop.util.StopWatch;
import org.apache.hadoop.util.Time;

import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Which packages and classes of this module may use each other. {@code NameNodeRulesTest} does the same in
 * {@code dayu-namenode}.
 */
@AnalyzeClasses(packages = {"io.dayu", "org.apache.hadoop.hdfs.server.datanode", "org.apache.hadoop.ipc"},
    importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
class DataNodeRulesTest {
  /**
   * {@code datanode} -> {@code transfer} -> conf, protocol and what reaches into Hadoop; nothing the other way round.
   */
  @ArchTest
  static final ArchRule LAYERS = layeredArchitecture().consideringOnlyDependenciesInLayers()
      .layer("agent").definedBy("io.dayu.datanode")
      .layer("transfer").definedBy("io.dayu.datanode.transfer..")
      .layer("protocol").definedBy("io.dayu.protocol..")
      .layer("metrics").definedBy("io.dayu.metrics..")
      .layer("shaping").definedBy("io.dayu.shaping..")
      .layer("conf").definedBy("io.dayu.conf..")
      .layer("check").definedBy("io.dayu.check..")
      .layer("hadoop").definedBy("org.apache.hadoop..")
      .whereLayer("agent").mayNotBeAccessedByAnyLayer()
      .whereLayer("transfer").mayOnlyBeAccessedByLayers("agent")
      .whereLayer("protocol").mayOnlyBeAccessedByLayers("agent", "transfer")
      .whereLayer("metrics").mayOnlyBeAccessedByLayers("agent")
      .whereLayer("check").mayNotBeAccessedByAnyLayer()
      .whereLayer("shaping").mayOnlyBeAccessedByLayers("transfer")
      .whereLayer("conf").mayOnlyBeAccessedByLayers("agent", "transfer", "shaping", "check");

  @ArchTest
  static final ArchRule NO_CYCLES_OF_PACKAGES = slices().matching("io.dayu.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule NO_CYCLES_OF_CLASSES = slices().assignedFrom(new SliceAssignment() {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass one) {
      boolean generated = one.getName().startsWith("io.dayu.protocol.DayuProtos");
      return generated ? SliceIdentifier.ignore() : SliceIdentifier.of(one.getName().replaceFirst("\\$.*", ""));
    }

    @Override
    public String getDescription() {
      return "classes with those that are nested in them";
    }
  }).should().beFreeOfCycles();

  @ArchTest
  static final ArchRule CONF_NEEDS_HADOOPS_CONFIGURATION_ONLY = classes().that().resideInAPackage("io.dayu.conf..")
      .should().onlyDependOnClassesThat().resideInAnyPackage("java..", "io.dayu.conf..", "org.apache.hadoop.conf..",
          "org.apache.hadoop.fs..");

  /** So that the simulator runs them. */
  @ArchTest
  static final ArchRule SHAPING_IS_PURE = classes().that().resideInAPackage("io.dayu.shaping..")
      .should().onlyDependOnClassesThat().resideInAnyPackage("java.lang..", "java.util..", "io.dayu.shaping..",
          "io.dayu.conf..");

  @ArchTest
  static final ArchRule FEW_CLASSES_INSIDE_HADOOP = classes().that().resideInAPackage("org.apache.hadoop..")
      .should().haveNameMatching(".*\\.(DataNodeAccess|DataNodeInternals|DeferredResponse)(\\$.*)?");

  @ArchTest
  static final ArchRule CLASSES_INSIDE_HADOOP_HOLD_NO_POLICY = noClasses().that()
      .resideInAPackage("org.apache.hadoop..").should().dependOnClassesThat().resideInAPackage("io.dayu..");

  @ArchTest
  static final ArchRule ENTRY_IS_BOUND_TO_NOTHING_OF_OURS = noClasses().that().haveSimpleName("DayuDataNodePlugin")
      .should().dependOnClassesThat(DescribedPredicate.describe("are other classes of ours",
          (JavaClass other) -> other.getPackageName().startsWith("io.dayu")
              && !other.getSimpleName().equals("DayuDataNodePlugin")));

  private static final List<String> DECISIONS = List.of("ReportExchange", "AgentCommandsOrder", "AgentCommandsCheck",
      "TransferRegistry", "PoolTransfers", "TransferLimit", "PhantomQueue", "TransferState");
  private static final Set<String> CLOCKS_AND_WAITS = Set.of("java.lang.System.nanoTime",
      "java.lang.System.currentTimeMillis", "java.lang.Math.random", "java.lang.Object.wait",
      "java.util.concurrent.TimeUnit.sleep", "java.util.concurrent.TimeUnit.timedWait",
      "java.util.concurrent.TimeUnit.timedJoin");

  /**
   * These classes make an agent's decisions. They get the time or a clock from their caller and never wait, so the
   * fault sequences can run them under a simulated clock.
   */
  @ArchTest
  static final ArchRule AGENTS_DECISIONS_HAVE_NO_CLOCK_THREAD_OR_CHANCE = noClasses().that()
      .haveNameMatching(".*\\.(" + String.join("|", DECISIONS) + ")(\\$.*)?")
      .should().accessTargetWhere(DescribedPredicate.describe("is a clock, a wait or a random number",
          (JavaAccess<?> access) -> CLOCKS_AND_WAITS.contains(access.getTargetOwner().getName() + "."
              + access.getName())))
      .orShould().dependOnClassesThat().resideInAnyPackage("java.time..", "java.util.concurrent.locks..")
      .orShould().dependOnClassesThat().areAssignableTo(Thread.class)
      .orShould().dependOnClassesThat().areAssignableTo(Executor.class)
      .orShould().dependOnClassesThat().areAssignableTo(Future.class)
      .orShould().dependOnClassesThat().areAssignableTo(BlockingQueue.class)
      .orShould().dependOnClassesThat().areAssignableTo(Random.class)
      .orShould().dependOnClassesThat().belongToAnyOf(CountDownLatch.class, SplittableRandom.class, UUID.class,
          Date.class, Calendar.class, Timer.class, Time.class, org.apache.hadoop.util.Timer.class, StopWatch.class);

  @ArchTest
  static void ruleOfDecisions_isTested_onEachOfTheseClasses(JavaClasses all) {
    for (String name : DECISIONS) {
      assertTrue(all.stream().anyMatch(one -> one.getSimpleName().equals(name)), name);
    }
  }

  /** Only a NameNode's commands lead to a transfer, and only a transfer's source is connected to. */
  @ArchTest
  static final ArchRule ONLY_COMMANDS_GRANT_TRANSFERS = noClasses().that().doNotHaveFullyQualifiedName(
      ReportExchange.class.getName()).should().callMethod(TransferRegistry.class, "apply", String.class,
          Collection.class, long.class);

  @ArchTest
  static final ArchRule ONLY_SOURCE_STREAMS_CONNECT = noClasses().that()
      .haveNameNotMatching(".*\\.(SourceStream|DataNodeAccess|DataNodeInternals)").should().dependOnClassesThat()
      .areAssignableTo(Socket.class).orShould().dependOnClassesThat().areAssignableTo(SocketChannel.class);

  @ArchTest
  static final ArchRule NOTHING_LISTENS = noClasses().should().dependOnClassesThat()
      .areAssignableTo(ServerSocket.class).orShould().dependOnClassesThat().areAssignableTo(ServerSocketChannel.class);

  @ArchTest
  static final ArchRule NO_UNSHADED_PROTOBUF_OR_GUAVA = noClasses()
      .should().dependOnClassesThat().resideInAnyPackage("com.google..", "org.apache.hadoop.thirdparty.com.google..");
}
