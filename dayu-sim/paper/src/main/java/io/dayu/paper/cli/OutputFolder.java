/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.cli;

import io.dayu.paper.figures.Figure;
import io.dayu.paper.study.ResultStore;
import io.dayu.sim.cli.options.BadInputException;
import io.dayu.sim.cli.report.OutputFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A folder for results, made if it is not there; its files appear whole or not at all. Single-threaded. */
public final class OutputFolder {
  private final Path folder;

  public OutputFolder(Path folder) {
    this.folder = folder;
    if (Files.exists(folder) && !Files.isDirectory(folder)) {
      throw new BadInputException("cannot write " + folder + ": it is no folder");
    }
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new BadInputException("cannot write " + folder + ": " + BadInputException.reason(e));
    }
    if (!Files.isWritable(folder)) {
      throw new BadInputException("cannot write " + folder + ": no permission");
    }
  }

  public OutputFolder in(String name) {
    return new OutputFolder(folder.resolve(name));
  }

  public Path file(String name) {
    return folder.resolve(name);
  }

  /** Opens the results of a program's build; see {@link ResultStore}. */
  public ResultStore resultStore(String name, String build, List<String> columns) {
    Path file = file(name);
    try {
      return new ResultStore(file, build, columns);
    } catch (IOException e) {
      throw new BadInputException("cannot write " + file + ": " + e.getMessage());
    }
  }

  public void write(String name, String text) {
    try (OutputFile file = new OutputFile(folder.resolve(name))) {
      file.replace(out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }
  }

  /** Writes the figure's numbers and plots. */
  public void write(Figure figure) {
    write(figure.id() + ".csv", figure.table().csv());
    figure.plots().forEach((name, svg) -> write(name + ".svg", svg + "\n"));
  }
}
