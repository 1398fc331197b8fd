/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.protocol;

import java.util.regex.Pattern;

/**
 * Text of others that goes to logs and terminals: it must begin no line there, and steer no terminal. No state. What
 * counts are Unicode's control and format characters, and its separators of lines and paragraphs.
 */
public final class PrintableText {
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]+");

  private PrintableText() {
  }

  public static boolean is(String text) {
    return !UNPRINTABLE.matcher(text).find();
  }

  /** The text with a space in place of what is not printable. */
  public static String of(String text) {
    return UNPRINTABLE.matcher(text).replaceAll(" ");
  }

  /** The printable text, cut off after {@code maxLength} characters. */
  public static String of(String text, int maxLength) {
    return of(text.substring(0, Math.min(maxLength, text.length())));
  }
}
