/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.simulation;

import io.dayu.datanode.transfer.TransferState;
import io.dayu.protocol.DayuProtos.SourceProto;

/**
 * The connection of a {@link SimulatedTransfer} to one of the nodes that it reads: whether that serves the block, sends
 * nothing, or has a corrupt replica. {@link TransferState.Source}, which is production code, decides which node it is
 * and when it is tried again. Not thread-safe.
 */
final class SimulatedConnection {
  /** {@code dfs.client.socket-timeout}. */
  static final long READ_TIMEOUT_MS = 60_000;
  /** As SourceStream: before the first byte. */
  private static final long CONNECT_TIMEOUT_MS = 10_000;

  private final SimulatedTransfer transfer;
  private final SimulatedDataNode target;
  private final SimulatedCluster cluster;
  private final TransferState.Source source;
  /** The source that it is connected to; null if it is not. */
  private SourceProto connected;
  /** How long the connection has brought nothing, and whether it has brought anything before. */
  private long silentMs;
  private boolean hasSent;

  SimulatedConnection(SimulatedTransfer transfer, SimulatedAgent agent, TransferState.Source source) {
    this.transfer = transfer;
    this.target = agent.node;
    this.cluster = agent.cluster;
    this.source = source;
  }

  /** Of the node that it reads, or is to read. */
  String sourceUuid() {
    return source.current().getDatanodeUuid();
  }

  /** Whether the source sends now; the transfer may have to stop. */
  boolean advance(long periodMs) {
    long nowNs = cluster.events.nowNs();
    TransferState.Next next = connected == null ? source.next(nowNs) : source.next(connected, nowNs);
    if (next instanceof TransferState.Disconnect) {
      connected = null;
      next = source.next(nowNs);
    }
    if (next instanceof TransferState.Stop stop) {
      transfer.remove(stop);
    } else if (next instanceof TransferState.Receive receive) {
      return sends(receive.source(), periodMs);
    }
    return false;
  }

  private boolean sends(SourceProto from, long periodMs) {
    SimulatedDataNode node = cluster.dataNode(from.getDatanodeUuid());
    if (!transfer.isServedBy(node, from)) {
      fail(from, "it does not serve the block", false);
      return false;
    }
    silentMs = from.equals(connected) ? silentMs : 0;
    hasSent &= from.equals(connected);
    connected = from;
    if (!transfer.canWrite()) {
      return false;
    }
    if (node.sendsNothing) {
      silentMs += periodMs;
      if (silentMs >= (hasSent ? READ_TIMEOUT_MS : CONNECT_TIMEOUT_MS)) {
        fail(from, "it sends nothing", false);
      }
      return false;
    }
    if (node.isCorrupt(transfer.idOn(from))) {
      target.reportCorrupt(node.uuid, transfer.idOn(from));
      fail(from, "its bytes do not match their checksums", true);
      return false;
    }
    silentMs = 0;
    hasSent = true;
    source.delivered();
    return true;
  }

  private void fail(SourceProto from, String why, boolean corrupt) {
    connected = null;
    source.failed(from, why, corrupt, cluster.events.nowNs());
    transfer.sourceFailed();
  }
}
