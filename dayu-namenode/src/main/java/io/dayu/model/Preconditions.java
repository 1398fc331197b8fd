/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.model;

/** Bounds checks that name the field, the row and the value. */
final class Preconditions {
  private Preconditions() {
  }

  static void atLeast(String field, long value, long min) {
    if (value < min) {
      throw new IllegalArgumentException(field + " = " + value + ", expected at least " + min);
    }
  }

  static void within(String field, int row, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(field + "[" + row + "] = " + value + ", expected " + min + " to " + max);
    }
  }

  static void length(String field, int length, int expected) {
    if (length != expected) {
      throw new IllegalArgumentException(field + " has " + length + " entries, expected " + expected);
    }
  }
}
