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
import java.util.Optional;

/**
 * How packets queue at both ends of a DataNode's link. Immutable.
 *
 * @param kind one queue, or two classes
 * @param queueMs the longest time that a packet of clients waits
 * @param segmentBytes the largest segment that the kernel passes on as one packet
 * @param lowerEffortShare of {@link Kind#CLASSES}: the part of the link that lower effort is sure to get, as many
 *     switches are set up, above 0 and below 1. TCP would time out without any
 */
record LinkQueue(Kind kind, long queueMs, int segmentBytes, double lowerEffortShare) {
  /** Where packets wait for the link. */
  enum Kind {
    /** All in one queue. */
    FIFO("fifo"),
    /** Those of lower effort (DSCP 1, RFC 8622) in a queue of their own, which gets what the others leave. */
    CLASSES("classes");

    private final String id;

    Kind(String id) {
      this.id = id;
    }

    String id() {
      return id;
    }

    static Optional<Kind> byId(String id) {
      return Arrays.stream(values()).filter(kind -> kind.id.equals(id)).findFirst();
    }

    static List<String> ids() {
      return Arrays.stream(values()).map(Kind::id).toList();
    }
  }

  /** A port of a switch has that much for a class. */
  private static final int LOWER_EFFORT_QUEUE_BYTES = 1 << 20;
  private static final int HEADERS_BYTES = 4 << 10;
  private static final int BURSTS_PER_SEC = 250;

  /** Arguments of tc, after the namespace, that give a device this queue at another rate. */
  List<String> changes(String device, long rateBitsPerSec) {
    List<String> commands = commands(device, rateBitsPerSec);
    // An HTB keeps its root.
    return kind == Kind.FIFO ? commands : commands.subList(1, commands.size());
  }

  /** Arguments of tc, after the namespace, that give a device without one this queue at a rate. */
  List<String> commands(String device, long rateBitsPerSec) {
    long burstBytes = Math.max(segmentBytes + HEADERS_BYTES, rateBitsPerSec / 8 / BURSTS_PER_SEC);
    if (kind == Kind.FIFO) {
      return List.of("qdisc replace dev " + device + " root tbf rate " + rateBitsPerSec + "bit burst " + burstBytes
          + " latency " + queueMs + "ms");
    }
    long lowerBitsPerSec = (long) (rateBitsPerSec * lowerEffortShare);
    String rest = "bit burst " + burstBytes + " cburst " + burstBytes + " quantum " + burstBytes;
    long queueBytes = burstBytes + rateBitsPerSec / 8 * queueMs / 1_000;
    return List.of(
        "qdisc replace dev " + device + " root handle 1: htb default 10",
        "class replace dev " + device + " parent 1: classid 1:1 htb rate " + rateBitsPerSec + rest,
        "class replace dev " + device + " parent 1:1 classid 1:10 htb rate " + (rateBitsPerSec - lowerBitsPerSec)
            + "bit ceil " + rateBitsPerSec + rest + " prio 0",
        "class replace dev " + device + " parent 1:1 classid 1:20 htb rate " + lowerBitsPerSec + "bit ceil "
            + rateBitsPerSec + rest + " prio 7",
        "qdisc replace dev " + device + " parent 1:10 handle 10: bfifo limit " + queueBytes,
        "qdisc replace dev " + device + " parent 1:20 handle 20: bfifo limit " + LOWER_EFFORT_QUEUE_BYTES,
        "filter replace dev " + device + " parent 1: protocol ip prio 1 handle 800::1 u32 match ip tos 0x04 0xfc"
            + " flowid 1:20");
  }

  /** One part of a file's name. */
  String key() {
    String shareInPermille = kind == Kind.FIFO ? "" : "-" + Math.round(1_000 * lowerEffortShare);
    return kind.id() + queueMs + "ms" + segmentBytes + shareInPermille;
  }

  @Override
  public String toString() {
    return kind == Kind.FIFO ? "queues of " + queueMs + " ms"
        : "queues of " + queueMs + " ms and a class for lower effort";
  }
}
