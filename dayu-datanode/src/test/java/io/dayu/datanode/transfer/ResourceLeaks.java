/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.hdfs.server.datanode.DataNode;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What transfers must not leave behind when they have ended, however they did: threads of transfers, connections to
 * their sources, temporary replicas, reserved space. No state.
 */
public final class ResourceLeaks {
  /** A source finds out that its reader is gone when it sends the next packet. */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private ResourceLeaks() {
  }

  /** Waits for threads and connections to end, then throws an AssertionError if anything is left on these DataNodes. */
  public static void assertNone(Collection<DataNode> nodes) throws Exception {
    Poll.until("no transfer has a thread", LIMIT, () -> transferThreads().isEmpty(), ResourceLeaks::transferThreads);
    Poll.until("no source serves a transfer", LIMIT,
        () -> threads("DataXceiver for client " + SourceStream.CLIENT_NAME).isEmpty(),
        () -> threads("DataXceiver for client " + SourceStream.CLIENT_NAME));
    Set<Integer> transferPorts = nodes.stream().map(DataNode::getXferPort).collect(Collectors.toSet());
    Poll.until("no connection of a transfer is open", LIMIT,
        () -> OpenConnections.ofTransfers(transferPorts).isEmpty(), () -> describe(transferPorts));
    for (DataNode node : nodes) {
      PullCluster.assertNothingTemporary(node);
    }
  }

  private static String describe(Set<Integer> transferPorts) {
    try {
      return OpenConnections.ofTransfers(transferPorts) + " where transfers use the ports " + transferPorts;
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** The threads of transfers that have not ended. */
  static List<String> transferThreads() {
    return threads("dayu-transfer-");
  }

  /** Living threads whose name begins so, without those that live as long as their service. */
  private static List<String> threads(String prefix) {
    return Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
        .filter(name -> name.startsWith(prefix) && !name.equals("dayu-transfer-timer")).toList();
  }
}
