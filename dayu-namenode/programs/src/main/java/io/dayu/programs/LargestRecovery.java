/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.programs;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.Comparator;
import java.util.Optional;
import java.util.stream.StreamSupport;

/**
 * The recovery that made the most replicas, of those that a NameNode names at {@code /dayu/api/v1/history}: that of the
 * program's own fault. The last one may be that of a file that clients were writing. Of two as large it is the one that
 * is named first. Immutable.
 *
 * @param active whether it has not ended yet
 * @param etaErrorPercent by how much the first estimate of its time was wrong; below 0 if that is not known
 */
public record LargestRecovery(boolean active, double etaErrorPercent) {
  /** Of an answer of the NameNode; nothing if it names no recovery. */
  public static Optional<LargestRecovery> in(JsonNode history) {
    return StreamSupport.stream(history.path("recoveries").spliterator(), false)
        .max(Comparator.comparingLong(recovery -> recovery.path("blocksDone").asLong()))
        .map(recovery -> new LargestRecovery(recovery.path("active").asBoolean(true),
            100 * recovery.path("etaError").asDouble(-1)));
  }
}
