/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu;

import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.LocationProvider;
import com.tngtech.archunit.lang.ArchRule;
import io.dayu.programs.Launcher;

import java.util.Set;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/** Which package of the programs may know which, and what they may know of the plugins. */
@AnalyzeClasses(locations = ProgramRulesTest.ThisModule.class)
class ProgramRulesTest {
  static final class ThisModule implements LocationProvider {
    @Override
    public Set<Location> get(Class<?> testClass) {
      return Set.of(Location.of(Launcher.class.getProtectionDomain().getCodeSource().getLocation()));
    }
  }

  @ArchTest
  static final ArchRule LAYERS = layeredArchitecture().consideringOnlyDependenciesInLayers()
      .layer("demo").definedBy("io.dayu.demo..")
      .layer("hosts").definedBy("io.dayu.hosts..")
      .layer("scale").definedBy("io.dayu.scale..")
      .layer("hadooptests").definedBy("io.dayu.hadooptests..")
      .layer("programs").definedBy("io.dayu.programs..")
      .whereLayer("demo").mayNotBeAccessedByAnyLayer()
      .whereLayer("hosts").mayNotBeAccessedByAnyLayer()
      .whereLayer("scale").mayNotBeAccessedByAnyLayer()
      .whereLayer("hadooptests").mayNotBeAccessedByAnyLayer();

  /** They learn of the plugins what an admin does: settings, and what a NameNode and its log say. */
  @ArchTest
  static final ArchRule PLUGINS_ARE_SEEN_FROM_OUTSIDE =
      noClasses().that().resideInAnyPackage("io.dayu.demo..", "io.dayu.hosts..", "io.dayu.hadooptests..")
          .should().dependOnClassesThat().resideInAnyPackage("io.dayu.namenode..", "io.dayu.datanode..",
              "io.dayu.schedule..", "io.dayu.blocks..", "io.dayu.protocol..");

  @ArchTest
  static final ArchRule NO_CYCLES_OF_PACKAGES = slices().matching("io.dayu.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule NO_CYCLES_OF_CLASSES = ClassCycles.none();
}
