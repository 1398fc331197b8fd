/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim;

import java.io.IOException;

/** A file that has not the form that it should have. The message names the file, and says what is wrong. */
public final class FormatException extends IOException {
  private static final long serialVersionUID = 1;

  public FormatException(String message) {
    super(message);
  }

  /** @param where in the line; may be empty */
  public FormatException(String file, long line, String where, String what) {
    super(file + ": line " + line + (where.isEmpty() ? "" : ", " + where) + ": " + what);
  }
}
