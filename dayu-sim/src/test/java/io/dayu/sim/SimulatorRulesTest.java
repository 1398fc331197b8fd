/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import io.dayu.ClassCycles;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which package of the simulator may know which, and that neither packages nor classes form cycles. */
@AnalyzeClasses(packages = "io.dayu.sim", importOptions = ImportOption.DoNotIncludeTests.class)
class SimulatorRulesTest {
  private static final String CLUSTER = "io.dayu.sim";

  /** Each package may use the packages above it in this list that its row names; {@code cli} may use all. */
  @ArchTest
  static final ArchRule LAYERS = layers(
      row("foreground", CLUSTER),
      row("placement", CLUSTER),
      row("incident", CLUSTER, "placement"),
      row("engine", CLUSTER, "foreground", "placement", "incident"),
      row("rival"),
      row("algorithm", CLUSTER, "engine", "rival"),
      row("experiment", CLUSTER, "foreground", "placement", "incident", "engine"),
      row("plot"),
      row("hosts", CLUSTER, "foreground", "placement", "engine", "algorithm"),
      row("replay", CLUSTER, "foreground", "placement", "incident", "engine", "algorithm"),
      row("monitoring", CLUSTER, "foreground"),
      row("tune"),
      row("cli.options", CLUSTER, "foreground", "placement", "incident", "engine", "algorithm", "experiment"),
      row("cli.report", CLUSTER, "placement", "engine", "experiment", "plot", "replay", "tune",
          "cli.options"));

  @ArchTest
  static final ArchRule NO_CYCLES_OF_PACKAGES = slices().matching("io.dayu.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule NO_CYCLES_OF_CLASSES = ClassCycles.none();

  /** The simulator runs the scheduler as it is; it knows nothing of the daemons around it. */
  @ArchTest
  static final ArchRule SIMULATOR_KNOWS_ONLY_THE_CORE = noClasses().should().dependOnClassesThat().resideInAnyPackage(
      "io.dayu.namenode..", "io.dayu.datanode..", "io.dayu.blocks..", "io.dayu.protocol..", "org.apache.hadoop..");

  @ArchTest
  static final ArchRule ONLY_THE_ENGINE_AND_COMMANDS_READ_A_CLOCK = noClasses().that()
      .resideOutsideOfPackages("io.dayu.sim.engine", "io.dayu.sim.cli..")
      .should().callMethod(System.class, "nanoTime").orShould().callMethod(System.class, "currentTimeMillis")
      .orShould().callMethod(Math.class, "random");

  @ArchTest
  static void rules_areTested_onTheClassesOfTheSimulator(JavaClasses all) {
    assertTrue(all.contain("io.dayu.sim.Cluster") && all.contain("io.dayu.sim.engine.RecoverySimulation"));
  }

  private record Row(String name, String... mayUse) {
  }

  private static Row row(String name, String... mayUse) {
    return new Row(name, mayUse);
  }

  private static ArchRule layers(Row... rows) {
    LayeredArchitecture layers = layeredArchitecture().consideringOnlyDependenciesInLayers()
        .layer(CLUSTER).definedBy(CLUSTER).layer("cli").definedBy("io.dayu.sim.cli");
    for (Row row : rows) {
      layers = layers.layer(row.name()).definedBy("io.dayu.sim." + row.name());
    }
    layers = layers.whereLayer(CLUSTER).mayNotAccessAnyLayer().whereLayer("cli").mayNotBeAccessedByAnyLayer();
    for (Row row : rows) {
      layers = row.mayUse().length == 0 ? layers.whereLayer(row.name()).mayNotAccessAnyLayer()
          : layers.whereLayer(row.name()).mayOnlyAccessLayers(row.mayUse());
    }
    return layers;
  }
}
