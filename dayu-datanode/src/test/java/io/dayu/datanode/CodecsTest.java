/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtocolPB;
import org.apache.hadoop.io.erasurecode.CodecRegistry;
import org.apache.hadoop.test.GenericTestUtils.LogCapturer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import java.util.HashSet;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CodecsTest {
  private static String logOf(Supplier<Set<String>> names) {
    LogCapturer log = LogCapturer.captureLogs(LoggerFactory.getLogger(Codecs.class));
    try {
      Codecs.of(names);
      return log.getOutput();
    } finally {
      log.stopCapturing();
    }
  }

  private static Supplier<Set<String>> names(String... names) {
    return () -> new HashSet<>(List.of(names));
  }

  @Test
  void hadoopsOwn_areNotNamed() {
    assertEquals(new Codecs(true, List.of("clay", "lrc")), Codecs.of(names("rs", "lrc", "xor", "rs-legacy", "clay")));
    assertTrue(CodecRegistry.getInstance().getCodecNames().containsAll(DayuProtocolPB.HADOOPS_CODECS));
    assertEquals("", logOf(names("rs", "lrc")));
  }

  @Test
  void providerThatCannotBeLoaded_leavesNoCodec() {
    for (Error error : List.of(new ServiceConfigurationError("no such class"),
        new ExceptionInInitializerError(new IllegalStateException("no library")), new NoClassDefFoundError("gone"))) {
      Supplier<Set<String>> names = () -> {
        throw error;
      };
      assertEquals(new Codecs(false, List.of()), Codecs.of(names));
      assertTrue(logOf(names).contains("Dayu: Hadoop's erasure codecs cannot be loaded"), error::toString);
    }
  }

  @Test
  void namesThatNameNodesRefuse_areLeftOut() {
    Set<String> names = new HashSet<>(Set.of("rs", "lrc", "l\nrc", "x".repeat(257), "x".repeat(256)));
    names.add(null);
    assertEquals(new Codecs(true, List.of("lrc", "x".repeat(256))), Codecs.of(() -> names));
    assertTrue(logOf(() -> names).contains("does not report 3 of this DataNode's 5 codecs"));
  }

  @Test
  void moreThanAReportMayHave_areCutOff() {
    String[] names =
        IntStream.range(0, 103).mapToObj(i -> String.format("codec-%03d", i)).toArray(String[]::new);
    List<String> first = List.of(names).subList(0, 100);
    assertEquals(new Codecs(true, first), Codecs.of(names(names)));
    assertTrue(logOf(names(names)).contains("does not report 3 of this DataNode's 103 codecs"));
    assertEquals("", logOf(names(first.toArray(String[]::new))));
  }
}
