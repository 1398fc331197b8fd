/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.dayu.ClassCycles;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which package of the paper's evaluation may know which, and that neither packages nor classes form cycles. */
@AnalyzeClasses(packages = "io.dayu.paper", importOptions = ImportOption.DoNotIncludeTests.class)
class PaperRulesTest {
  @ArchTest
  static final ArchRule LAYERS = layeredArchitecture().consideringOnlyDependenciesInLayers()
      .layer("algorithm").definedBy("io.dayu.paper.algorithm").layer("study").definedBy("io.dayu.paper.study")
      .layer("figures").definedBy("io.dayu.paper.figures").layer("cli").definedBy("io.dayu.paper.cli")
      .whereLayer("algorithm").mayNotAccessAnyLayer().whereLayer("study").mayNotAccessAnyLayer()
      .whereLayer("figures").mayOnlyAccessLayers("study").whereLayer("cli").mayOnlyAccessLayers("study", "figures");

  @ArchTest
  static final ArchRule NO_CYCLES_OF_PACKAGES = slices().matching("io.dayu.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule NO_CYCLES_OF_CLASSES = ClassCycles.none();

  /** Of the simulator all but the commands may know no command. */
  @ArchTest
  static final ArchRule COMMANDS_ARE_ON_TOP = noClasses().that().resideOutsideOfPackage("io.dayu.paper.cli")
      .should().dependOnClassesThat().resideInAnyPackage("io.dayu.sim.cli..");

  /** What is simulated is the production scheduler; nothing here knows the daemons around it. */
  @ArchTest
  static final ArchRule NO_DAEMONS = noClasses().should().dependOnClassesThat().resideInAnyPackage(
      "io.dayu.namenode..", "io.dayu.datanode..", "io.dayu.blocks..", "io.dayu.protocol..", "org.apache.hadoop..");

  @ArchTest
  static final ArchRule OTHER_SYSTEMS_KNOW_THE_SCHEDULER_AND_THE_ENGINE = classes().that()
      .resideInAPackage("io.dayu.paper.algorithm").should().onlyDependOnClassesThat().resideInAnyPackage("java..",
          "io.dayu.paper.algorithm", "io.dayu.model", "io.dayu.schedule..", "io.dayu.sim..");

  @ArchTest
  static void rules_areTested_onTheClassesOfTheModule(JavaClasses all) {
    assertTrue(all.contain("io.dayu.paper.study.Study") && all.contain("io.dayu.paper.algorithm.ChoosyInitiator"));
  }
}
