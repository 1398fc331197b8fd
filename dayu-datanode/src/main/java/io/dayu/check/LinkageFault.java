/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.check;

import java.nio.file.Path;

/** Says of an error of the JVM's linker what it is about, and which class of which jar has met it. No state. */
final class LinkageFault {
  private LinkageFault() {
  }

  static String text(LinkageError e) {
    Throwable cause = e.getMessage() == null && e.getCause() != null ? e.getCause() : e;
    String message = cause.getMessage() == null ? "" : ": " + cause.getMessage().replace('/', '.');
    return cause.getClass().getSimpleName() + message + where(e);
  }

  /** The first class on the stack that is not Java's. */
  private static String where(LinkageError e) {
    for (StackTraceElement frame : e.getStackTrace()) {
      if (frame.getModuleName() == null) {
        return ", in " + frame.getClassName() + ofJar(frame.getClassName());
      }
    }
    return "";
  }

  private static String ofJar(String name) {
    try {
      Class<?> type = Class.forName(name, false, LinkageFault.class.getClassLoader());
      return " of " + Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (Exception | LinkageError e) {
      // The class is of another loader, or as broken as what it has met.
      return "";
    }
  }
}
