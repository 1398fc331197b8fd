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

/**
 * Reads {@code 64MB}, {@code 250M} (powers of 1000, as in the paper) or {@code 128MiB} (of 1024); only 0 needs no unit.
 * Stateless.
 */
public final class ByteCount implements ITypeConverter<Long> {
  private static final Pattern FORM = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?)(?:([kMGT])(i?)B?|B)");
  private static final String PREFIXES = "kMGT";

  @Override
  public Long convert(String value) {
    if (value.equals("0")) {
      return 0L;
    }
    Matcher form = FORM.matcher(value);
    if (!form.matches()) {
      throw new TypeConversionException(
          "'" + value + "' is no number of bytes with a unit like 500B, 64MB, 1.5G or 128MiB");
    }
    double step = "i".equals(form.group(3)) ? 1024 : 1000;
    int power = form.group(2) == null ? 0 : 1 + PREFIXES.indexOf(form.group(2));
    double bytes = Double.parseDouble(form.group(1)) * Math.pow(step, power);
    if (bytes > 1L << 50) {
      throw new TypeConversionException("'" + value + "' is more than 1 PiB");
    }
    return Math.round(bytes);
  }
}
