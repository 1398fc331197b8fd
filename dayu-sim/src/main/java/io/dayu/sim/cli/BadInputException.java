/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.cli;

import java.util.function.Supplier;

/** What the user gave cannot be used; the message is the one line that he is shown. */
final class BadInputException extends RuntimeException {
  private static final long serialVersionUID = 1;

  BadInputException(String message) {
    super(message);
  }

  /** What is made of the user's values, or why it cannot be. */
  static <T> T check(Supplier<T> maker) {
    try {
      return maker.get();
    } catch (IllegalArgumentException e) {
      throw new BadInputException(e.getMessage());
    }
  }
}
