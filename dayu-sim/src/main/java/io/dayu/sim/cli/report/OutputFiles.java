/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.report;

import io.dayu.sim.cli.options.BadInputException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Several files that are written again as work goes on, each only if it is asked for. Single-threaded. */
public final class OutputFiles implements AutoCloseable {
  private final List<OutputFile> files = new ArrayList<>();
  private final Set<Path> places = new HashSet<>();
  private final List<OutputFile.Writer> writers = new ArrayList<>();

  private static Path placeOf(Path file) {
    return file.toAbsolutePath().normalize();
  }

  /** Refuses the same file for two outputs; either may be null. */
  public static void checkApart(Path one, Path other) {
    if (one != null && other != null && placeOf(one).equals(placeOf(other))) {
      throw new BadInputException(other + " is named for two outputs, expected a file for each");
    }
  }

  /** @param file null if it is not wanted */
  public void add(Path file, OutputFile.Writer writer) {
    if (file != null) {
      if (!places.add(placeOf(file))) {
        throw new BadInputException(file + " is named for two outputs, expected a file for each");
      }
      files.add(new OutputFile(file));
      writers.add(writer);
    }
  }

  public void replaceAll() {
    for (int i = 0; i < files.size(); i++) {
      files.get(i).replace(writers.get(i));
    }
  }

  @Override
  public void close() {
    files.forEach(OutputFile::close);
  }
}
