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

/** Reads {@code 2%} or {@code 1.5%} as 2 or 1.5. Stateless. */
public final class Percent implements ITypeConverter<Double> {
  private static final Pattern FORM = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,6})?)%");

  @Override
  public Double convert(String value) {
    Matcher form = FORM.matcher(value);
    if (!form.matches()) {
      throw new TypeConversionException("'" + value + "' is no percentage like 2% or 1.5%");
    }
    return Double.parseDouble(form.group(1));
  }
}
