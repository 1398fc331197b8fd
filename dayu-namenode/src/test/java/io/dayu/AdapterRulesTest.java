/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.junit.jupiter.api.Test;

/** What the NameNode's adapters may touch, and the direction of all dependencies. */
class AdapterRulesTest {
  private static final String OURS = "io.dayu..";

  /** The classes of this module, those in Hadoop's packages included. */
  private static JavaClasses module() {
    JavaClasses classes = new ClassFileImporter().importUrl(BlockManagerAccess.class.getProtectionDomain().getCodeSource().getLocation());
    assertTrue(classes.contain("io.dayu.namenode.RecoveryLoop") && classes.contain(BlockManagerAccess.class), "the module is read");
    return classes;
  }

  @Test
  void packages_haveNoCycles() {
    slices().matching("io.dayu.(*)..").should().beFreeOfCycles().check(module());
  }

  @Test
  void blocks_arePlainRecords() {
    classes().that().resideInAPackage("io.dayu.blocks..").should().onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "io.dayu.blocks..").check(module());
  }

  @Test
  void classesInHadoopsPackages_knowNothingOfOursButBlocks() {
    noClasses().that().resideInAPackage("org.apache.hadoop..").should().dependOnClassesThat()
        .resideInAnyPackage("io.dayu.namenode..", "io.dayu.conf..", "io.dayu.protocol..", "io.dayu.model..", "io.dayu.schedule..")
        .check(module());
  }

  @Test
  void namenode_knowsNoAgent() {
    noClasses().that().resideInAnyPackage(OURS, "org.apache.hadoop..").should().dependOnClassesThat()
        .resideInAPackage("io.dayu.datanode..").check(module());
  }
}
