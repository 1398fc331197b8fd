/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/** The module's package rules. */
@AnalyzeClasses(packages = {"io.dayu", "org.apache.hadoop.hdfs.server.datanode"},
    importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
class ArchitectureTest {
  @ArchTest
  static final ArchRule PROTOCOL_IS_A_LEAF = noClasses().that().resideInAPackage("io.dayu.protocol..")
      .should().dependOnClassesThat().resideInAnyPackage("io.dayu.datanode..", "io.dayu.conf..");

  @ArchTest
  static final ArchRule CONF_IS_A_LEAF = classes().that().resideInAPackage("io.dayu.conf..")
      .should().onlyDependOnClassesThat().resideInAnyPackage("java..", "io.dayu.conf..", "org.apache.hadoop.conf..",
          "org.apache.hadoop.fs..");

  @ArchTest
  static final ArchRule ONE_CLASS_INSIDE_HADOOP = classes().that().resideInAPackage("org.apache.hadoop..")
      .should().haveNameMatching(".*\\.DataNodeAccess(\\$.*)?");

  @ArchTest
  static final ArchRule ACCESS_HOLDS_NO_POLICY = noClasses().that().resideInAPackage("org.apache.hadoop..")
      .should().dependOnClassesThat().resideInAPackage("io.dayu..");

  @ArchTest
  static final ArchRule ENTRY_IS_BOUND_TO_NOTHING_OF_OURS = noClasses().that().haveSimpleName("DayuDataNodePlugin")
      .should().dependOnClassesThat(com.tngtech.archunit.base.DescribedPredicate.describe("are other classes of ours",
          (com.tngtech.archunit.core.domain.JavaClass other) -> other.getPackageName().startsWith("io.dayu")
              && !other.getSimpleName().equals("DayuDataNodePlugin")));

  @ArchTest
  static final ArchRule NO_UNSHADED_PROTOBUF_OR_GUAVA = noClasses()
      .should().dependOnClassesThat().resideInAnyPackage("com.google..", "org.apache.hadoop.thirdparty.com.google..");
}
