/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.options;

import picocli.CommandLine.Model.CommandSpec;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.function.Supplier;

/** What the user gave cannot be used; the message is the one line that he is shown. */
public final class BadInputException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public BadInputException(String message) {
    super(message);
  }

  /** What a failure to read or write says, without the names of Java's classes. */
  public static String reason(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "no permission";
    }
    if (e instanceof NoSuchFileException) {
      return "no such file or folder";
    }
    if (e instanceof FileSystemException file) {
      return file.getReason() != null ? file.getReason()
          : file instanceof FileAlreadyExistsException ? "it is no folder"
          : "it cannot be used";
    }
    return e.getMessage() == null ? "input or output failed" : e.getMessage();
  }

  /** A file that is to be read. */
  public static void checkReadable(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new BadInputException(Files.isDirectory(file) ? "cannot read " + file + ": it is a directory"
          : Files.exists(file) ? "cannot read " + file + ": it is no regular file"
          : "no such file: " + file);
    }
  }

  /** Refuses an option's list that has nothing in it. */
  public static void checkNotEmpty(String option, Collection<?> values) {
    if (values != null && values.isEmpty()) {
      throw new BadInputException(option + " is an empty list, expected at least one value");
    }
  }

  /** Refuses an option's list that is empty or names something twice. */
  public static void checkEachOnce(String option, Collection<?> values) {
    checkNotEmpty(option, values);
    if (new HashSet<>(values).size() < values.size()) {
      throw new BadInputException(option + " = " + values + ", expected each once");
    }
  }

  /**
   * Refuses options of a command that were given and would do nothing.
   *
   * @param why what follows the option's name in the message
   */
  public static void refuse(CommandSpec command, List<String> options, String why) {
    for (String option : options) {
      if (command.commandLine().getParseResult().hasMatchedOption(option)) {
        throw new BadInputException(option + why);
      }
    }
  }

  /** What is made of the user's values, or why it cannot be. */
  public static <T> T check(Supplier<T> maker) {
    try {
      return maker.get();
    } catch (IllegalArgumentException e) {
      throw new BadInputException(e.getMessage());
    }
  }
}
