/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.admin;

/** A command that was not done. Its message is the one line that the admin reads: what is wrong, and what to do. */
public final class AdminException extends Exception {
  private final ExitCode code;

  public AdminException(ExitCode code, String message) {
    super(message);
    this.code = code;
  }

  public ExitCode code() {
    return code;
  }
}
