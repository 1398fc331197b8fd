/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.FieldCheck;
import org.apache.hadoop.io.erasurecode.CodecRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The codecs by which this DataNode can rebuild internal blocks of erasure-coded groups. Immutable.
 *
 * @param usable whether there are any: Hadoop's registry has none if it cannot load one of their providers
 * @param further names of those that are not Hadoop's own, as a report may have them; sorted
 */
record Codecs(boolean usable, List<String> further) {
  private static final Logger LOG = LoggerFactory.getLogger(Codecs.class);
  private static final FieldCheck FIELDS = new FieldCheck("report");

  /** Those that Hadoop's registry has. */
  static Codecs ofThisDataNode() {
    return of(() -> CodecRegistry.getInstance().getCodecNames());
  }

  /** @param names of all codecs; may fail with an Error, as classes and service providers do that cannot be loaded */
  static Codecs of(Supplier<Set<String>> names) {
    Set<String> all;
    try {
      all = names.get();
    } catch (RuntimeException | LinkageError | ServiceConfigurationError e) {
      LOG.warn("Dayu: Hadoop's erasure codecs cannot be loaded; this DataNode rebuilds no internal blocks", e);
      return new Codecs(false, List.of());
    }
    Set<String> others = new HashSet<>(all);
    DayuProtocolPB.HADOOPS_CODECS.forEach(others::remove);
    List<String> reported =
        others.stream().filter(Codecs::isAllowed).sorted().limit(DayuProtocolPB.MAX_CODECS).toList();
    if (reported.size() < others.size()) {
      LOG.warn("Dayu does not report {} of this DataNode's {} codecs that are not Hadoop's own: names must be "
          + "printable and no longer than {} characters, and there may be {}", others.size() - reported.size(),
          others.size(), FieldCheck.MAX_NAME_LENGTH, DayuProtocolPB.MAX_CODECS);
    }
    return new Codecs(true, reported);
  }

  /** NameNodes refuse a report with another name. */
  private static boolean isAllowed(String name) {
    if (name == null) {
      return false;
    }
    try {
      FIELDS.name("codecs", name);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
