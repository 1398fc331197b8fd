/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.programs.options;

/** A property that there is not, or with a value that is not possible; the message names it and says what is. */
public final class BadOptionException extends Exception {
  public BadOptionException(String message) {
    super(message);
  }

  public BadOptionException(String property, String value, String expected) {
    super("-D" + property + "=" + value + " is not possible: expected " + expected);
  }
}
