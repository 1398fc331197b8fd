/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.admin.AdminAudit;
import io.dayu.admin.AdminHandler;
import io.dayu.admin.CheckedOperations;
import io.dayu.blocks.HadoopInternals;
import io.dayu.blocks.IncompatibleHadoopException;
import io.dayu.conf.BadSettingException;
import io.dayu.conf.DayuVersion;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.metrics.MetricsPublication;
import io.dayu.namenode.admin.AdminService;
import io.dayu.namenode.admin.DryRun;
import io.dayu.namenode.admin.PeerControlSync;
import io.dayu.namenode.admin.PeerSettingsSync;
import io.dayu.namenode.admin.PredecessorProgress;
import io.dayu.namenode.admin.ShadowPlanner;
import io.dayu.namenode.admin.WebSource;
import io.dayu.namenode.agents.AgentRpcService;
import io.dayu.namenode.agents.CallerCheck;
import io.dayu.namenode.agents.DeferredResponses;
import io.dayu.namenode.loop.AdminControl;
import io.dayu.namenode.loop.LoopRequests;
import io.dayu.namenode.loop.RecoveryLoop;
import io.dayu.namenode.loop.RecoveryParts;
import io.dayu.namenode.loop.RecoveryThreads;
import io.dayu.namenode.monitor.LeavingWatch;
import io.dayu.namenode.monitor.RecoveryGauges;
import io.dayu.namenode.monitor.RecoveryMonitor;
import io.dayu.namenode.status.RecoveryMetric;
import io.dayu.protocol.PrintableText;
import io.dayu.schedule.AlgorithmRegistry;
import io.dayu.schedule.PlanningAlgorithm;
import io.dayu.schedule.TimeslotScheduler;
import io.dayu.web.DayuServlet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManagerAccess;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.NameNodeAccess;
import org.apache.hadoop.http.HttpServer2;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RpcServerAccess;
import org.apache.hadoop.ipc.RpcWritable;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.metrics2.util.MBeans;
import org.apache.hadoop.util.ServicePlugin;
import org.apache.hadoop.util.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.management.ObjectName;

/**
 * Dayu on one NameNode, from start to stop. It checks the settings and this version of Hadoop, adds the protocol to the
 * NameNode's RPC servers, and starts the recovery loop and its watchdog. If a check fails, it logs one line and changes
 * nothing, and stock HDFS runs. Started and stopped by one thread, the NameNode's.
 */
public final class NameNodeRuntime implements ServicePlugin {
  private static final Logger LOG = LoggerFactory.getLogger(NameNodeRuntime.class);
  /** Maximum length of a caller, of an argument and of a reason in the audit log. */
  private static final int MAX_AUDITED = 600;

  private final Function<Settings, PlanningAlgorithm> algorithms;
  private final Supplier<HadoopInternals> required;

  private RecoveryParts recovery;
  private RecoveryThreads threads;
  private ObjectName statusName;
  private AdminHandler adminHandler;
  private MetricsPublication publication;
  private HttpServer2 webServer;
  private LeavingWatch leaving;
  private boolean active;

  public NameNodeRuntime() {
    this(NameNodeRuntime::algorithm, NameNodeRuntime::required);
  }

  /** For tests: with this scheduler, and with these demands on Hadoop's internals. */
  NameNodeRuntime(TimeslotScheduler scheduler, Supplier<HadoopInternals> required) {
    this(settings -> new PlanningAlgorithm(() -> scheduler), required);
  }

  private NameNodeRuntime(Function<Settings, PlanningAlgorithm> algorithms, Supplier<HadoopInternals> required) {
    this.algorithms = algorithms;
    this.required = required;
  }

  /** The algorithm that the settings ask for. */
  public static PlanningAlgorithm algorithm(Settings settings) {
    try {
      return AlgorithmRegistry.named(settings.choice(Setting.ALGORITHM), NameNodeRuntime.class.getClassLoader());
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException("setting " + Setting.ALGORITHM.key() + " is not valid: " + e.getMessage(), e);
    }
  }

  @Override
  public void start(Object service) {
    try {
      String version = DayuVersion.only();
      NameNode nameNode = (NameNode) service;
      Settings settings = Settings.read(NameNodeAccess.configuration(nameNode));
      settings.warnings().forEach(LOG::warn);
      required.get().check();
      begin(nameNode, settings, version);
      active = true;
    } catch (BadSettingException | IncompatibleHadoopException | IllegalStateException e) {
      release();
      LOG.error("Dayu is NOT active, stock HDFS re-replicates: {}", e.getMessage());
    } catch (Error | RuntimeException e) {
      // Also where no thread could be started, which is an OutOfMemoryError.
      release();
      LOG.error("Dayu is NOT active, stock HDFS re-replicates", e);
    }
  }

  private void begin(NameNode nameNode, Settings settings, String version) throws IncompatibleHadoopException {
    Configuration conf = NameNodeAccess.configuration(nameNode);
    for (RPC.Server server : NameNodeAccess.rpcServers(nameNode)) {
      if (!RpcServerAccess.hasRoomForProtocol(server)) {
        throw new IncompatibleHadoopException("the RPC server on " + server.getListenerAddress()
            + " has no room for another protocol; another plugin has added some");
      }
    }
    BlockManagerAccess blocks = BlockManagerAccess.open(nameNode.getNamesystem(), nameNode::getLastHATransitionTime,
        TimeUnit.MILLISECONDS.toNanos(settings.millis(Setting.LOCK_MAX_HOLD)), this::countLockHold);
    String namenodeId = nameNode.getNameNodeAddressHostPortString();
    PlanningAlgorithm algorithm = algorithms.apply(settings);
    recovery = RecoveryParts.of(blocks, settings, algorithm, namenodeId, System::nanoTime, System::currentTimeMillis,
        DeferredResponses.newExecutor());
    AgentRpcService service = new AgentRpcService(blocks, recovery.responder(),
        new CallerCheck(conf.get(DFSConfigKeys.DFS_DATANODE_KERBEROS_PRINCIPAL_KEY)), recovery.agents().refused(),
        recovery.agents().declined());
    LoopRequests requests = new LoopRequests();
    DryRun dryRun = new DryRun(recovery.controller(), blocks, settings, algorithm);
    RecoveryMonitor monitor = new RecoveryMonitor(recovery, blocks, blocks, settings,
        new ShadowPlanner(dryRun, settings, System.nanoTime())::tick, System.nanoTime());
    new RecoveryGauges(monitor, recovery, blocks, blocks, settings).bind();
    AdminService admin =
        new AdminService(namenodeId, version, recovery, blocks, blocks, settings, dryRun, monitor, requests);
    threads = new RecoveryThreads(new RecoveryLoop(recovery, requests, monitor::tick), recovery.watchdog(),
        NameNodeRuntime::startDaemon);
    CheckedOperations checked =
        new CheckedOperations(admin, () -> NameNodeAccess.checkSuperuser(nameNode), audit(nameNode));
    List<PeerControlSync.Peer> peers =
        PeerControlSync.peers(conf, DFSUtil.getNamenodeNameServiceId(conf), nameNode.getNameNodeAddress());
    try {
      webServer = nameNode.getHttpServer();
      webServer.setAttribute(DayuServlet.SOURCE,
          new WebSource(admin, admin::allSettings, checked, monitor.history(), peers,
              Boolean.parseBoolean(settings.choice(Setting.WEB_READ_ONLY))));
      webServer.addInternalServlet("dayu", DayuServlet.PATH, DayuServlet.class);
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("Dayu has no web page on this NameNode; recovery itself is active", e);
    }
    for (RPC.Server server : NameNodeAccess.rpcServers(nameNode)) {
      service.addTo(server, conf);
    }
    List<RPC.Server> servers = NameNodeAccess.rpcServers(nameNode);
    adminHandler = new AdminHandler(checked, servers::contains);
    statusName = MBeans.register("NameNode", "DayuStatus", recovery.status());
    publication = MetricsPublication.of("Dayu", "Recovery by Dayu", recovery.status().counters().metrics());
    AdminControl adminControl = recovery.controller().adminControl();
    adminControl.startIn(AdminControl.Mode.of(settings.choice(Setting.STARTUP_MODE)));
    if (!peers.isEmpty()) {
      monitor.onTakeOver(() -> startDaemon("Dayu predecessor", () -> PredecessorProgress
          .of(peers, System.currentTimeMillis()).ifPresent(monitor::continueFrom)));
      adminControl.askPeers();
      startDaemon("Dayu peer control", new PeerControlSync(adminControl, new PeerSettingsSync(settings), peers));
    }
    threads.start();
    leaving = monitor.leaving();
    startDaemon("Dayu leaving nodes", leaving);
    adminHandler.open();
    LOG.info("Dayu {} is active on {} (Hadoop {}): scheduler {}, T = {} ms, horizon {} ms, alpha = {}", version,
        namenodeId, VersionInfo.getVersion(), described(settings, algorithm),
        settings.millis(Setting.TIMESLOT_INTERVAL),
        settings.millis(Setting.TIMESLOT_HORIZON), settings.ratio(Setting.MAX_UTILIZATION));
  }

  /** The setting, and how a foreign algorithm calls itself. */
  private static String described(Settings settings, PlanningAlgorithm algorithm) {
    String setting = settings.choice(Setting.ALGORITHM);
    String name = algorithm.newScheduler().name();
    return name.equals(setting) ? setting : setting + " (" + name + ")";
  }

  private static AdminAudit audit(NameNode nameNode) {
    return (caller, command, argument, refusal) -> NameNodeAccess.audit(nameNode, refusal == null,
        PrintableText.of(caller.user().toString(), MAX_AUDITED), caller.address(), "dayu -" + command.word(),
        PrintableText.of(argument, MAX_AUDITED), refusal == null ? null : PrintableText.of(refusal, MAX_AUDITED));
  }

  private void countLockHold(long heldNs) {
    recovery.status().counters().metrics().histogram(RecoveryMetric.LOCK_HOLD_MICROS)
        .update(TimeUnit.NANOSECONDS.toMicros(heldNs));
  }

  static HadoopInternals required() {
    // The members by which answers to agents are deferred.
    return NameNodeAccess.addRequired(BlockManagerAccess.required()).method(RpcWritable.class, "wrap", Object.class)
        .method(Server.Call.class, "deferResponse").method(Server.Call.class, "setDeferredResponse", Writable.class)
        .method(Server.Call.class, "setDeferredError", Throwable.class).method(Server.Call.class, "isOpen");
  }

  private static Thread startDaemon(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  @Override
  public void stop() {
    if (active) {
      active = false;
      release();
      LOG.info("Dayu has stopped");
    }
  }

  /** Releases what has been acquired so far, also after a start that failed half way. */
  private void release() {
    // The threads first: nothing of what follows may keep stock re-replication suspended.
    if (threads != null) {
      release(threads::stop);
    }
    if (leaving != null) {
      release(leaving::stop);
    }
    if (recovery != null) {
      recovery.suspension().resume();
      release(recovery.responder()::close);
    }
    if (adminHandler != null) {
      release(adminHandler::close);
    }
    if (webServer != null) {
      release(() -> webServer.setAttribute(DayuServlet.SOURCE, null));
    }
    if (statusName != null) {
      release(() -> MBeans.unregister(statusName));
    }
    if (publication != null) {
      release(publication::close);
    }
  }

  /** Releases one of them. A failure must not keep the others. */
  private static void release(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      LOG.warn("Dayu: a step of its end failed; the NameNode goes on", e);
    }
  }

  @Override
  public void close() {
    stop();
  }
}
