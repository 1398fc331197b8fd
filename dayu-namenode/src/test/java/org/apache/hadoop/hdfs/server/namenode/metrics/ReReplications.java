/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.namenode.metrics;

import org.apache.hadoop.hdfs.server.namenode.NameNode;

/**
 * HDFS's own counters of copies, which are in package-private fields. They are read there since their name in the
 * metrics system is {@code NameNodeActivity}, {@code NameNodeActivity-1} and so on, by what else this JVM has run.
 * Immutable.
 */
public record ReReplications(long successful, long timedOut, long notScheduled) {
  /** Those of the NameNode of this JVM that was made last: the only one that counts, also with several of them. */
  public static ReReplications now() {
    NameNodeMetrics metrics = NameNode.getNameNodeMetrics();
    return new ReReplications(metrics.successfulReReplications.value(), metrics.timeoutReReplications.value(),
        metrics.numTimesReReplicationNotScheduled.value());
  }

  /** How the counters have moved from there to here, in a case that needed {@code copies}. */
  public String moved(ReReplications now, int copies) {
    return "successful beyond those needed " + (now.successful - successful - copies) + ", timed out "
        + (now.timedOut - timedOut) + ", not scheduled " + (now.notScheduled - notScheduled);
  }
}
