/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.check;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.util.Tool;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Hadoop's options before a command of {@code hdfs dayu}. */
class GenericOptionsTest {
  private static final int NOT_RUN = 2;

  @TempDir
  Path dir;

  private Path file;
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  /** A command that takes 0 if the file's setting reaches it. */
  private static final class Reader extends Configured implements Tool {
    Reader() {
      super(new Configuration(false));
    }

    @Override
    public int run(String[] args) {
      return getConf().getInt("of.the.file", 1);
    }
  }

  @BeforeEach
  void file() {
    file = dir.resolve("new hdfs-site.xml");
  }

  private int run(String... args) throws Exception {
    err.reset();
    return GenericOptions.run(new Reader(), new PrintStream(err, true), args);
  }

  private String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @Test
  void goodFile_isRead() throws Exception {
    Files.writeString(file, "<?xml version=\"1.0\"?>\n<?xml-stylesheet href=\"configuration.xsl\"?>\n"
        + "<configuration><property><name>of.the.file</name><value>0</value>"
        + "</property></configuration>");
    assertEquals(0, run("-conf", file.toString(), "-check"), err());
    assertEquals(0, run("-D", "a=b", "-Dc=d", "-fs", "hdfs://ns1", "-conf", file.toString(), "-check"), err());
    assertEquals(1, run("-check"), err());
    assertEquals(1, run(), err());
    assertEquals(1, run("-explain", "-conf"), "what follows a command is its own");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"<configuration>~<property>~</configuration>             | , line 3: ",
      "''                                                      | , line 1: ",
      "fs.defaultFS=hdfs://ns1                                 | , line 1: ",
      "<html></html> | : expected <configuration> around the settings, found <html>"})
  void fileThatIsNoConfiguration_isNamedWithTheLine(String text, String expected) throws Exception {
    Files.writeString(file, text.replace('~', '\n'));
    assertEquals(NOT_RUN, run("-D", "a=b", "-conf", file.toString(), "-check"));
    assertTrue(err().startsWith("dayu: -conf " + file + expected), err());
    assertEquals(1, err().lines().count(), err());
  }

  @Test
  void fileThatIsNotThere_isNamed() throws Exception {
    assertEquals(NOT_RUN, run("-conf", file.toString(), "-check"));
    assertEquals("dayu: -conf " + file + ": there is no such file\n", err());
    assertEquals(NOT_RUN, run("-conf", dir.toString(), "-check"));
    assertEquals("dayu: -conf " + dir + ": this is a directory\n", err());
    assertEquals(NOT_RUN, run("-conf=" + file, "-check"));
    assertEquals("dayu: -conf " + file + ": there is no such file\n", err());
    assertEquals(NOT_RUN, run("-conf"));
    assertEquals("dayu: -conf needs a file; hdfs dayu -help lists the commands\n", err());
  }

  /** One of Hadoop's own directory, which is read when the first setting is asked for. */
  @Test
  void brokenFileOfTheConfiguration_isNamedWithItsLine() throws Exception {
    Files.writeString(file, "<configuration>\n<property>\n</configuration>");
    Reader reader = new Reader();
    reader.getConf().addResource(file.toUri().toURL());
    assertEquals(NOT_RUN, GenericOptions.run(reader, new PrintStream(err, true), "-check"));
    assertTrue(err().startsWith("dayu: -fs, -conf, -D or the configuration is wrong: ")
        && err().contains("new%20hdfs-site.xml") && err().contains("[3,"), err());
    assertEquals(1, err().lines().count(), err());
  }
}
