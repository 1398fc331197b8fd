/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.sim.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Several files that are written again as work goes on, each only if it is asked for. Single-threaded. */
final class OutputFiles implements AutoCloseable {
  private final List<OutputFile> files = new ArrayList<>();
  private final List<OutputFile.Writer> writers = new ArrayList<>();

  /** @param file null if it is not wanted */
  void add(Path file, OutputFile.Writer writer) {
    if (file != null) {
      files.add(new OutputFile(file));
      writers.add(writer);
    }
  }

  void replaceAll() {
    for (int i = 0; i < files.size(); i++) {
      files.get(i).replace(writers.get(i));
    }
  }

  @Override
  public void close() {
    files.forEach(OutputFile::close);
  }
}
