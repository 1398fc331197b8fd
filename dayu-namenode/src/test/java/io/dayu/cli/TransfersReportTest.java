/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** The text of {@code -explain}. */
class TransfersReportTest {
  private static String explanation(String source) throws Exception {
    return TransfersReport.explanation(new ObjectMapper().readTree(("{'block':'blk_-16_2','bytes':3,'liveReplicas':4,"
        + "'expectedReplicas':5,'pendingTargets':[],'transfers':[],'next':[],'reason':'c','sources':[" + source + "]}")
        .replace('\'', '"')));
  }

  @Test
  void sourceOfAGroup_standsWithItsIndex() throws Exception {
    String source = "{'node':'a:1','rack':'/r','recoveryLimitBytesPerSec':1024,'queuedBytes':2,'finishSeconds':1.5}";
    String block = explanation(source);
    assertTrue(block.contains(" a:1 (/r): done in 1.5 s: "), block);
    String group = explanation(source.replace("'/r',", "'/r','index':4,"));
    assertTrue(group.contains(" a:1 (/r), index 4: done in 1.5 s: "), group);
  }
}
