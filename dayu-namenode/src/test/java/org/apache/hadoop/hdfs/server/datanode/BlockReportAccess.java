/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.datanode;

import org.apache.hadoop.hdfs.client.BlockReportOptions;
import org.apache.hadoop.hdfs.protocolPB.DatanodeProtocolClientSideTranslatorPB;
import org.apache.hadoop.util.Time;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The threads by which a DataNode reports to a NameNode, which HDFS keeps to itself. Stateless. The same in Hadoop 3.4
 * and 3.5.
 */
public final class BlockReportAccess {
  private static final VarHandle COMMANDS;
  private static final VarHandle LEASE;

  static {
    try {
      MethodHandles.Lookup lookup =
          MethodHandles.privateLookupIn(BPServiceActor.class, MethodHandles.lookup());
      COMMANDS = lookup.findVarHandle(BPServiceActor.class, "commandProcessingThread",
          BPServiceActor.CommandProcessingThread.class);
      LEASE = lookup.findVarHandle(BPServiceActor.class, "fullBlockReportLeaseId", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private BlockReportAccess() {
  }

  /** Lets a DataNode send a full block report to one NameNode with its next heartbeat or sooner. Does not wait. */
  public static void request(DataNode node, InetSocketAddress nameNode) {
    for (BPServiceActor actor : actors(node, nameNode)) {
      actor.triggerBlockReport(new BlockReportOptions.Factory().setIncremental(false).build());
    }
  }

  /** Puts something in place of what a DataNode calls one NameNode by. */
  public static void replaceNameNode(DataNode node, InetSocketAddress nameNode,
      UnaryOperator<DatanodeProtocolClientSideTranslatorPB> replacement) {
    for (BPServiceActor actor : actors(node, nameNode)) {
      actor.setNameNode(replacement.apply(actor.getNameNodeProxy()));
    }
  }

  private static List<BPServiceActor> actors(DataNode node, InetSocketAddress nameNode) {
    return node.getAllBpOs().stream().flatMap(pool -> pool.getBPServiceActors().stream())
        .filter(actor -> actor.getNNSocketAddress().equals(nameNode)).toList();
  }

  /** When a DataNode reports to one NameNode, and what the threads that do so are doing, for people. */
  public static String describe(DataNode node, InetSocketAddress nameNode) {
    StringBuilder text = new StringBuilder();
    for (BPServiceActor actor : actors(node, nameNode)) {
      BPServiceActor.Scheduler schedule = actor.getScheduler();
      long nowMs = Time.monotonicNow();
      text.append("  DataNode: ").append(actor.getActorInfoMap()).append(", next heartbeat in ")
          .append(schedule.nextHeartbeatTime - nowMs).append(" ms, next full block report in ")
          .append(schedule.getNextBlockReportTime() - nowMs).append(" ms, its lease 0x")
          .append(Long.toHexString((long) LEASE.get(actor))).append('\n');
      append(text, actor.bpThread);
      append(text, (BPServiceActor.CommandProcessingThread) COMMANDS.get(actor));
    }
    return text.isEmpty() ? "  DataNode: has no thread for this NameNode\n" : text.toString();
  }

  private static void append(StringBuilder text, Thread thread) {
    text.append("  thread \"").append(thread.getName()).append("\" ").append(thread.getState()).append('\n');
    for (StackTraceElement frame : thread.getStackTrace()) {
      text.append("    at ").append(frame).append('\n');
    }
  }
}
