/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import io.dayu.harness.ClusterBuilder;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Who recovers, and with which settings. Heartbeats and the rounds of stock HDFS are those of a real cluster in all of
 * them.
 */
enum Mode {
  DAYU("dayu", "Dayu", "Dayu"),
  STOCK_DEFAULT("stock-default", "stock HDFS, default settings", "stock HDFS by default"),
  STOCK_FAST("stock-fast", "stock HDFS, fast settings", "stock HDFS with fast settings"),
  /** The control: what the loss alone does to clients. */
  NONE("none", "nobody recovers", "no recovery");

  private static final String STOCK_INTERVAL_SEC = "3";

  private final String id;
  private final String title;
  private final String phrase;

  Mode(String id, String title, String phrase) {
    this.id = id;
    this.title = title;
    this.phrase = phrase;
  }

  /** As it stands in properties and in the result. */
  String id() {
    return id;
  }

  String title() {
    return title;
  }

  /** Its name within a sentence. */
  String phrase() {
    return phrase;
  }

  static Optional<Mode> byId(String id) {
    return Arrays.stream(values()).filter(mode -> mode.id.equals(id)).findFirst();
  }

  static List<String> ids() {
    return Arrays.stream(values()).map(Mode::id).toList();
  }

  /** Those that are compared unless others are asked for. */
  static List<String> defaultIds() {
    return Arrays.stream(values()).filter(Mode::recovers).map(Mode::id).toList();
  }

  boolean recovers() {
    return this != NONE;
  }

  /** Settings of the daemons. The fast ones are those that admins use in an emergency. */
  ClusterBuilder configure(ClusterBuilder cluster) {
    // The harness shortens both to a second, which no cluster has: stock HDFS would look better than it is.
    cluster.conf("dfs.heartbeat.interval", STOCK_INTERVAL_SEC)
        .conf("dfs.namenode.redundancy.interval.seconds", STOCK_INTERVAL_SEC);
    if (this == STOCK_FAST) {
      cluster.conf("dfs.namenode.replication.work.multiplier.per.iteration", "50")
          .conf("dfs.namenode.replication.max-streams", "50")
          .conf("dfs.namenode.replication.max-streams-hard-limit", "100");
    }
    if (this == NONE) {
      cluster.conf("dfs.namenode.replication.max-streams", "0").conf("dfs.namenode.replication.max-streams-hard-limit",
          "0");
    }
    return this == DAYU ? cluster : cluster.withoutDayu();
  }
}
