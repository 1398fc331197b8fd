/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What {@code hdfs dayu -check} finds by the NameNode's jar. */
class NameNodeCheckTest {
  private static List<String> faults(Configuration conf) {
    List<String> faults = new ArrayList<>();
    new NameNodeCheck().accept(conf, faults::add);
    return faults;
  }

  @Test
  void thisHadoop_hasWhatIsNeeded() {
    assertEquals(List.of(), faults(new Configuration(false)));
  }

  @Test
  void algorithm_thatCannotBeLoaded_isAFault() {
    Configuration conf = new Configuration(false);
    conf.set("dayu.scheduler.algorithm", "com.example.Gone");
    List<String> faults = faults(conf);
    assertEquals(1, faults.size(), faults::toString);
    assertTrue(faults.get(0).startsWith("setting dayu.scheduler.algorithm is not valid: "), faults.get(0));
  }
}
