/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

/** Whole numbers that a command gives to tests, by {@code -D}. Stateless. */
public final class TestNumber {
  private TestNumber() {
  }

  /**
   * The number by {@code -D} and {@code name}.
   *
   * @throws IllegalArgumentException if it is not a whole number from {@code min} to {@code max}
   */
  public static long number(String name, long byDefault, long min, long max) {
    String value = System.getProperty(name, String.valueOf(byDefault));
    try {
      long number = Long.parseLong(value);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The same message says what would be right.
    }
    throw new IllegalArgumentException(
        "-D" + name + "=" + value + " is not possible: expected a whole number from " + min + " to " + max);
  }

  /** How many, or how long. */
  public static int count(String name, int byDefault, int min) {
    return (int) number(name, byDefault, min, Integer.MAX_VALUE);
  }

  /** Of a generator of random numbers: any whole number. */
  public static long seed(String name, long byDefault) {
    return number(name, byDefault, Long.MIN_VALUE, Long.MAX_VALUE);
  }
}
