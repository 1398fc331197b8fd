/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess.NameNode;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * Tells every NameNode of a DataNode once a minute why the plugin has not started an agent here, so that
 * {@code hdfs dayu -status} can tell this from a DataNode without the plugin. It does nothing else. It logs its own
 * failures at DEBUG only, since the DataNode's log has the reason already. One thread; {@link #close} may be called by
 * any.
 */
final class DeclinedReporter implements Runnable, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(DeclinedReporter.class);
  private static final long INTERVAL_MS = 60_000;
  /** Until the DataNode knows its NameNodes, and they know it. */
  private static final long RETRY_MS = 2_000;
  private static final int MAX_REASON = 300;

  private final DataNode datanode;
  private final String reason;
  private final Thread thread = new Thread(this, "dayu-declined");
  private volatile boolean closed;

  DeclinedReporter(DataNode datanode, String reason) {
    this.datanode = datanode;
    this.reason = reason.substring(0, Math.min(MAX_REASON, reason.length()));
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  @Override
  public void run() {
    try {
      DataNodeAccess node = new DataNodeAccess(datanode);
      while (!closed) {
        Thread.sleep(report(node) ? INTERVAL_MS : RETRY_MS);
      }
    } catch (InterruptedException e) {
      LOG.debug("Stopped");
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      LOG.debug("Cannot tell the NameNodes that Dayu is not active here", e);
    }
  }

  /** Returns whether the DataNode is registered with all its NameNodes, as far as they answer. */
  private boolean report(DataNodeAccess node) {
    List<NameNode> nameNodes = node.nameNodes();
    boolean registered = node.datanodeUuid() != null && !nameNodes.isEmpty();
    for (NameNode nameNode : registered ? nameNodes : List.<NameNode>of()) {
      try {
        registered &= report(node, nameNode) >= RETRY_MS;
      } catch (IOException | ServiceException e) {
        LOG.debug("NameNode {} does not take the reason why Dayu is not active here", nameNode.address(), e);
      }
    }
    return registered;
  }

  /** Returns when the NameNode wants the next report: soon if it does not know the DataNode yet. */
  private int report(DataNodeAccess node, NameNode nameNode) throws IOException, ServiceException {
    DayuProtocolPB proxy = Agent.connect(node, nameNode);
    try {
      return proxy.report(null,
          ReportProto.newBuilder().setProtocolVersion(DayuProtocolPB.REVISION).setBlockPoolId(nameNode.blockPoolId())
              .setDatanodeUuid(node.datanodeUuid()).setAgentIncarnation(0).setReportSequence(0).setDeclined(reason)
              .build())
          .getNextReportMs();
    } finally {
      RPC.stopProxy(proxy);
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
