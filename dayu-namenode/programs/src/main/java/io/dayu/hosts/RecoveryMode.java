/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Who recovers, and with which settings of stock HDFS. */
enum RecoveryMode {
  /** The reference: the node dies and nobody recovers. */
  NONE("none", streams(0, 0)),
  DAYU("dayu", Map.of()),
  STOCK_DEFAULT("stock-default", Map.of()),
  STOCK_MID("stock-mid", streams(8, 16), Map.of(RecoveryMode.MULTIPLIER, "10")),
  /** Where groups are rebuilt, the fastest that stock HDFS has been seen to be. */
  STOCK_STREAMS_20("stock-streams-20", streams(20, 40)),
  /** What admins use in an emergency. */
  STOCK_FAST("stock-fast", streams(50, 100), Map.of(RecoveryMode.MULTIPLIER, "50"));

  private static final String MULTIPLIER = "dfs.namenode.replication.work.multiplier.per.iteration";

  private final String id;
  private final Map<String, String> settings;

  RecoveryMode(String id, Map<String, String> settings) {
    this(id, settings, Map.of());
  }

  RecoveryMode(String id, Map<String, String> settings, Map<String, String> more) {
    this.id = id;
    this.settings = new TreeMap<>(settings);
    this.settings.putAll(more);
  }

  private static Map<String, String> streams(int limit, int hardLimit) {
    return Map.of("dfs.namenode.replication.max-streams", Integer.toString(limit),
        "dfs.namenode.replication.max-streams-hard-limit", Integer.toString(hardLimit));
  }

  /** As it stands in properties and in the result. */
  String id() {
    return id;
  }

  /** Settings of all daemons, those of Dayu apart. */
  Map<String, String> settings() {
    return Map.copyOf(settings);
  }

  static Optional<RecoveryMode> byId(String id) {
    return Arrays.stream(values()).filter(mode -> mode.id.equals(id)).findFirst();
  }

  static List<String> ids() {
    return Arrays.stream(values()).map(RecoveryMode::id).toList();
  }
}
