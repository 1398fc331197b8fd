/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.options;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A time in milliseconds, read from {@code 500ms}, {@code 15s}, {@code 10m} or {@code 24h}. Immutable. */
public record TimeSpan(long millis) {

  /** Reads one. Stateless. */
  public static final class Converter implements ITypeConverter<TimeSpan> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,3})?)(ms|s|m|h)");

    @Override
    public TimeSpan convert(String value) {
      Matcher form = FORM.matcher(value);
      if (!form.matches()) {
        throw new TypeConversionException("'" + value + "' is no time like 500ms, 15s, 10m or 24h");
      }
      long unitMs = switch (form.group(2)) {
        case "ms" -> 1;
        case "s" -> 1000;
        case "m" -> 60_000;
        default -> 3_600_000;
      };
      return new TimeSpan(Math.round(Double.parseDouble(form.group(1)) * unitMs));
    }
  }

  @Override
  public String toString() {
    return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
  }
}
