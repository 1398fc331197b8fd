/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;

/**
 * The class that {@code hdfs dayu} starts. It is compiled for Java 8 and uses nothing newer, so that a client host with
 * an older Java says in one line that Dayu needs Java 17. All else is in {@code DayuAdmin}. Single-threaded.
 */
public final class DayuCommand {
  private static final String ADMIN = "io.dayu.cli.DayuAdmin";
  private static final int NOT_POSSIBLE = 1;

  private DayuCommand() {
  }

  public static void main(String[] args) throws Throwable {
    if (!start(args, System.err)) {
      System.exit(NOT_POSSIBLE);
    }
  }

  /** @return false if this Java is too old */
  static boolean start(String[] args, PrintStream err) throws Throwable {
    try {
      Class.forName(ADMIN, true, DayuCommand.class.getClassLoader()).getMethod("main", String[].class).invoke(null,
          (Object) args);
      return true;
    } catch (UnsupportedClassVersionError e) {
      err.println("dayu: hdfs dayu needs Java 17 or later, this is Java " + System.getProperty("java.version")
          + "; set JAVA_HOME in hadoop-env.sh of this host");
      return false;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
