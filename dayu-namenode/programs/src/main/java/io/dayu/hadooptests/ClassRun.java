/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hadooptests;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

/**
 * Runs one test class, or one method of it, in this JVM. Writes a line when a test begins and when it ends. Ends the
 * JVM.
 */
final class ClassRun implements TestExecutionListener {
  /** The engine and the class itself, which come before the names of parameters and methods. */
  private static final int COMMON_NAMES = 2;

  private final PrintWriter lines;
  private TestPlan plan;

  private ClassRun(PrintWriter lines) {
    this.lines = lines;
  }

  /** @param args the class or Class#method, and the file that the lines go to */
  public static void main(String[] args) throws IOException, ClassNotFoundException {
    try (PrintWriter lines = new PrintWriter(Files.newBufferedWriter(Path.of(args[1])), true)) {
      LauncherDiscoveryRequest request =
          LauncherDiscoveryRequestBuilder.request()
              .selectors(args[0].contains("#") ? selectMethod(args[0]) : selectClass(Class.forName(args[0]))).build();
      LauncherFactory.create().execute(request, new ClassRun(lines));
    }
    // Some leave threads behind that are no daemons.
    Runtime.getRuntime().halt(0);
  }

  @Override
  public void testPlanExecutionStarted(TestPlan begun) {
    plan = begun;
  }

  /** Names of parameters, if there are any, and of the method: a parameterized class has each method several times. */
  private String name(TestIdentifier test) {
    List<String> names = new ArrayList<>();
    for (Optional<TestIdentifier> at = Optional.of(test); at.isPresent(); at = plan.getParent(at.get())) {
      names.add(0, at.get().getDisplayName());
    }
    return String.join(" ", names.subList(Math.min(COMMON_NAMES, names.size() - 1), names.size()));
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    if (test.isTest()) {
      lines.println("begun\t" + name(test));
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    boolean passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
    if (test.isTest() || !passed) {
      String why = result.getThrowable().map(Throwable::toString).orElse("").lines().findFirst().orElse("");
      String outcome = passed ? "passed" : result.getStatus() == TestExecutionResult.Status.ABORTED ? "skipped"
          : "failed";
      lines.println(outcome + "\t" + name(test) + "\t" + why);
    }
  }
}
