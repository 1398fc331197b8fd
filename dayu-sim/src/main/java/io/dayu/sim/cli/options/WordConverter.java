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

import java.util.Arrays;
import java.util.stream.Collectors;

/** Reads one of an enum's constants by its {@code toString}. Stateless. */
abstract class WordConverter<E extends Enum<E>> implements ITypeConverter<E> {
  private final E[] values;

  WordConverter(E[] values) {
    this.values = values;
  }

  @Override
  public E convert(String text) {
    return Arrays.stream(values).filter(value -> value.toString().equals(text)).findFirst()
        .orElseThrow(() -> new TypeConversionException("'" + text + "', expected "
            + Arrays.stream(values).map(E::toString).collect(Collectors.joining(" or "))));
  }
}
