/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.check;

import java.lang.reflect.InvocationTargetException;

/**
 * The class that {@code hdfs dayu} starts on a host that has the DataNode's jar alone. It is compiled for Java 8 and
 * uses nothing newer, so that an older Java is named in one line. All else is in {@code InstallationCheck}.
 * Single-threaded.
 */
public final class CheckCommand {
  private static final String CHECK = "io.dayu.check.InstallationCheck";

  private CheckCommand() {
  }

  public static void main(String[] args) throws Throwable {
    try {
      Class.forName(CHECK, true, CheckCommand.class.getClassLoader()).getMethod("main", String[].class).invoke(null,
          (Object) args);
    } catch (UnsupportedClassVersionError e) {
      System.err.println("dayu: hdfs dayu needs Java 17 or later, this is Java " + System.getProperty("java.version")
          + "; set JAVA_HOME in hadoop-env.sh of this host");
      System.exit(1);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
