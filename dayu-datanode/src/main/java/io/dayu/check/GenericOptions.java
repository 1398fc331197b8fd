/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.check;

import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.xml.sax.Attributes;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;
import org.xml.sax.helpers.DefaultHandler;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParserFactory;

/**
 * Hadoop's options at the beginning of a command line, such as {@code -fs} and {@code -conf}. Hadoop passes over a file
 * that is not there, and answers a broken one with a stack trace; here either is one line. No state.
 */
public final class GenericOptions {
  private static final int USAGE = 2;
  private static final Set<String> WITH_VALUE =
      Set.of("fs", "jt", "conf", "D", "files", "libjars", "archives", "tokenCacheFile");

  private GenericOptions() {
  }

  /** Runs the command with these options, unless they or the configuration are wrong; returns the exit code. */
  public static int run(Tool tool, PrintStream err, String... args) throws Exception {
    try {
      Optional<String> fault = fault(args);
      if (fault.isPresent()) {
        err.println("dayu: " + fault.get());
        return USAGE;
      }
      return ToolRunner.run(tool, args);
    } catch (RuntimeException e) {
      // Hadoop reads its own options, and the files, before our part of the command line.
      err.println("dayu: -fs, -conf, -D or the configuration is wrong: " + inOneLine(e));
      return USAGE;
    }
  }

  /** The message of the innermost exception; where a file is broken, its last line has the place. */
  private static String inOneLine(RuntimeException e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage() == null ? cause : cause.getMessage()).lines().map(String::strip)
        .collect(Collectors.joining(" "));
  }

  /** Looks at the options before the command. */
  private static Optional<String> fault(String... args) {
    for (int i = 0; i < args.length && args[i].startsWith("-"); i++) {
      String[] sides = args[i].replaceFirst("^--?", "").split("=", 2);
      if (WITH_VALUE.contains(sides[0])) {
        String value = sides.length == 2 ? sides[1] : ++i < args.length ? args[i] : "";
        Optional<String> fault = fault(sides[0], value);
        if (fault.isPresent()) {
          return fault;
        }
      } else if (!sides[0].startsWith("D")) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  private static Optional<String> fault(String option, String value) {
    boolean isMissing = value.isEmpty() || value.startsWith("-");
    return switch (option) {
      case "fs" -> isMissing ? needs("-fs needs hdfs://<nameservice or host:port>") : Optional.empty();
      case "conf" -> isMissing ? needs("-conf needs a file") : faultOfFile(value);
      default -> Optional.empty();
    };
  }

  private static Optional<String> needs(String what) {
    return Optional.of(what + "; hdfs dayu -help lists the commands");
  }

  private static Optional<String> faultOfFile(String name) {
    // Hadoop, too, takes the path of a URI.
    java.nio.file.Path file = java.nio.file.Path.of(new Path(name).toUri().getPath());
    String begin = "-conf " + name;
    if (!Files.exists(file) || Files.isDirectory(file)) {
      return Optional.of(begin + (Files.exists(file) ? ": this is a directory" : ": there is no such file"));
    }
    try {
      SAXParserFactory.newDefaultInstance().newSAXParser().parse(file.toFile(), new RootHandler());
      return Optional.empty();
    } catch (SAXParseException e) {
      return Optional.of(begin + ", line " + e.getLineNumber() + ": " + e.getMessage());
    } catch (SAXException e) {
      return Optional.of(begin + ": " + e.getMessage());
    } catch (IOException | ParserConfigurationException e) {
      return Optional.of(begin + ": it cannot be read (" + e + ")");
    }
  }

  /** Reads to the end; another root than Hadoop's is an exception. */
  private static final class RootHandler extends DefaultHandler {
    private boolean seen;

    @Override
    public void startElement(String uri, String localName, String name, Attributes attributes) throws SAXException {
      if (!seen && !name.equals("configuration")) {
        throw new SAXException("expected <configuration> around the settings, found <" + name + ">");
      }
      seen = true;
    }

    @Override
    public void fatalError(SAXParseException e) throws SAXException {
      throw e;
    }
  }
}
