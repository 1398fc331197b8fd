/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * No test class leaves a NameNode running, nor a count of Hadoop's metrics system: the classes after it in the same JVM
 * would find theirs under other names than they would alone. For one thread.
 */
public final class LeftoverDaemons implements BeforeAllCallback, AfterAllCallback {
  private static boolean leftBefore;

  @Override
  public void beforeAll(ExtensionContext context) {
    if (isTopLevel(context)) {
      leftBefore = isAnyLeft();
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (isTopLevel(context)) {
      assertFalse(isAnyLeft() && !leftBefore, () -> context.getDisplayName() + " has left a NameNode running, or a"
          + " daemon whose metrics it began and did not shut down");
    }
  }

  private static boolean isTopLevel(ExtensionContext context) {
    return context.getRequiredTestClass().getEnclosingClass() == null;
  }

  private static boolean isAnyLeft() {
    return DefaultMetricsSystem.instance().getSource("NameNodeActivity") != null;
  }
}
