/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.scale;

import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.RackByAddress;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocolPB.DatanodeProtocolClientSideTranslatorPB;
import org.apache.hadoop.hdfs.server.blockmanagement.LostNodes;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.SlowDiskReports;
import org.apache.hadoop.hdfs.server.protocol.SlowPeerReports;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * What the reports of many agents cost a NameNode with Dayu's plugin, over its own RPC server, and whether DataNodes'
 * heartbeats wait for them. The agents are those of registered nodes without any process; a few connections carry them.
 * One thread drives it.
 */
final class AgentReports implements AutoCloseable {
  private static final int CONNECTIONS = 4;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long LOCKED_MS = 1_000;

  /** What was seen. */
  record Result(double reportsPerSec, double serverCpuMicros, double loopCpuShare, long answeredUnderLock,
      Histogram heartbeats) {
  }

  private final int nodes;
  private final Configuration conf;
  private final MiniDFSCluster nameNode;
  private final FSNamesystem namesystem;
  private final LostNodes cluster;
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final AtomicLong answered = new AtomicLong();
  private volatile boolean stopped;
  private volatile Throwable failure;

  AgentReports(Configuration base, int nodes) throws Exception {
    this.nodes = nodes;
    this.conf = new Configuration(base);
    conf.set(DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY, ClusterBuilder.NAMENODE_PLUGIN);
    RPC.setProtocolEngine(conf, DayuProtocolPB.class, ProtobufRpcEngine2.class);
    this.nameNode = new MiniDFSCluster.Builder(conf).numDataNodes(0).build();
    this.namesystem = nameNode.getNamesystem();
    this.cluster = new LostNodes(namesystem, RackByAddress.RACK_SIZE, 1, 1);
    cluster.onThisHost();
    cluster.addNodes(nodes, node -> StorageType.DISK);
  }

  /** @param reportsPerSec of all agents together; 0 for heartbeats alone */
  Result run(double reportsPerSec, long measuredNs) throws Exception {
    stopped = false;
    answered.set(0);
    List<Thread> senders = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS && reportsPerSec > 0; i++) {
      int first = i;
      senders.add(new Thread(() -> send(first, reportsPerSec / CONNECTIONS), "agents-" + i));
    }
    senders.forEach(Thread::start);
    TimeUnit.SECONDS.sleep(5);
    long serverBeforeNs = cpuNs("IPC Server", "Socket Reader");
    long loopBeforeNs = cpuNs("Dayu recovery loop");
    long before = answered.get();
    long startNs = System.nanoTime();
    Histogram heartbeats = heartbeats(startNs + measuredNs);
    long wallNs = System.nanoTime() - startNs;
    long reports = answered.get() - before;
    double serverNs = cpuNs("IPC Server", "Socket Reader") - serverBeforeNs;
    double loopNs = cpuNs("Dayu recovery loop") - loopBeforeNs;
    long underLock = reportsPerSec > 0 ? answeredUnderLock() : 0;
    stopped = true;
    for (Thread sender : senders) {
      sender.join();
    }
    if (failure != null) {
      throw new IOException(failure);
    }
    return new Result(reports * 1e9 / wallNs, serverNs / 1e3 / Math.max(1, reports), loopNs / wallNs, underLock,
        heartbeats);
  }

  private void send(int first, double perSec) {
    try {
      InetSocketAddress address = nameNode.getNameNode().getNameNodeAddress();
      UserGroupInformation user = UserGroupInformation.createRemoteUser("agents-" + first);
      DayuProtocolPB proxy = RPC.getProxy(DayuProtocolPB.class, DayuProtocolPB.VERSION, address, user, conf,
          NetUtils.getDefaultSocketFactory(conf));
      LoadProto load = SimulatedAgents.load(250_000_000, 100_000_000);
      long startNs = System.nanoTime();
      for (long sent = 0; !stopped; sent++) {
        int node = (int) ((first + CONNECTIONS * sent) % nodes);
        proxy.report(null, ReportProto.newBuilder().setProtocolVersion(DayuProtocolPB.REVISION)
            .setBlockPoolId(namesystem.getBlockPoolId()).setDatanodeUuid(LostNodes.uuid(node)).setAgentIncarnation(1)
            .setReportSequence(sent + 1).setLoad(load).setObeyedActivation(0).setObeyedSequence(0).build());
        answered.incrementAndGet();
        long dueNs = startNs + (long) (sent * SECOND_NS / perSec);
        while (!stopped && System.nanoTime() - dueNs < 0) {
          LockSupport.parkNanos(dueNs - System.nanoTime());
        }
      }
      RPC.stopProxy(proxy);
    } catch (Exception e) {
      failure = e;
    }
  }

  /** Heartbeats of one DataNode after the other, 200 a second, and how long they take. */
  private Histogram heartbeats(long endNs) throws IOException {
    Histogram times = new Histogram(3);
    try (DatanodeProtocolClientSideTranslatorPB dataNodes = new DatanodeProtocolClientSideTranslatorPB(
        nameNode.getNameNode().getNameNodeAddress(), conf)) {
      for (int node = 0; System.nanoTime() - endNs < 0; node = (node + 1) % nodes) {
        DatanodeRegistration registration = cluster.registration(node);
        StorageReport[] reports =
            {new StorageReport(new DatanodeStorage("DS-" + node), false, 1L << 46, 1L << 45, 1L << 45, 1L << 45, 0)};
        long startNs = System.nanoTime();
        dataNodes.sendHeartbeat(registration, reports, 0, 0, 0, 4, 0, null, false, SlowPeerReports.EMPTY_REPORT,
            SlowDiskReports.EMPTY_REPORT);
        times.recordValue(System.nanoTime() - startNs);
        LockSupport.parkNanos(5_000_000);
      }
    }
    return times;
  }

  private long answeredUnderLock() throws InterruptedException {
    namesystem.writeLock();
    try {
      long before = answered.get();
      TimeUnit.MILLISECONDS.sleep(LOCKED_MS);
      return answered.get() - before;
    } finally {
      namesystem.writeUnlock("benchHold");
    }
  }

  /** CPU time of the threads whose names begin so. */
  private long cpuNs(String... names) {
    long sumNs = 0;
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      for (String name : names) {
        sumNs += thread != null && thread.getThreadName().startsWith(name)
            ? Math.max(0, threads.getThreadCpuTime(thread.getThreadId())) : 0;
      }
    }
    return sumNs;
  }

  @Override
  public void close() {
    nameNode.shutdown();
  }
}
