/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.datanode.transfer.NodeShaper;
import io.dayu.datanode.transfer.ReconstructionReadThrottler;
import io.dayu.datanode.transfer.ReconstructionWriteThrottler;
import io.dayu.datanode.transfer.RecoveryReadThrottler;
import io.dayu.datanode.transfer.ReplicaCheck;
import io.dayu.datanode.transfer.ReplicaVerification;
import io.dayu.datanode.transfer.ServedReads;
import io.dayu.datanode.transfer.StockReconstructions;
import io.dayu.datanode.transfer.TransferRegistry;
import io.dayu.datanode.transfer.TransferService;
import io.dayu.datanode.transfer.VolumeShapers;
import io.dayu.metrics.MetricSet;
import io.dayu.metrics.MetricsPublication;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto.Marking;
import io.dayu.protocol.DayuProtos.VerifiedReplicaProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess.NameNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess.Volume;
import org.apache.hadoop.io.IOUtils;
import org.apache.hadoop.io.retry.RetryPolicies;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The agent in one DataNode. It keeps a {@link Reporter} for each NameNode of the DataNode, measures the load, holds
 * the transfers, and shapes what recovery receives and sends here. One timer thread keeps the reporters and measures;
 * methods that others call are safe for use by all threads.
 */
final class Agent implements ReportExchange.Context, Closeable {
  private static final long TICK_MS = 500;
  /** In every so many ticks it looks for NameNodes, which change when an admin does something. */
  private static final int LOOK_TICKS = 4;
  private static final long CLOSE_TIMEOUT_MS = 10_000;
  /** After this time without a reading of the meter the foreground is unknown. */
  private static final long UNKNOWN_NS = TimeUnit.SECONDS.toNanos(3);

  private static final Logger LOG = LoggerFactory.getLogger(Agent.class);

  /** What the timer does. */
  private interface Step {
    void run() throws IOException;
  }

  private final DataNodeAccess node;
  private final Settings settings;
  private final String version;
  private final BlockPoolLimits limits;
  private final BandwidthMeter meter;
  private final LoadEstimator estimator;
  private final TransferService transfers;
  private final NodeShaper shaper;
  private final MeterReader meterReader;
  private final ReplicaCheck replicaCheck;
  private final ReplicaVerification replicaVerification;
  private final ServedReads served;
  private final boolean bandwidthAssumed;
  private final Codecs codecs = Codecs.ofThisDataNode();
  private final StockReconstructions reconstructions;
  private final VolumeShapers volumes;
  private final ActivePools activePools = new ActivePools();
  private final long incarnation = ThreadLocalRandom.current().nextLong();
  private final long startMs = System.currentTimeMillis();
  private final Map<NameNode, Reporter> reporters = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
    Thread thread = new Thread(task, "dayu-agent");
    thread.setDaemon(true);
    return thread;
  });

  // Used by the timer's thread only.
  private final Map<String, AgentCommandsOrder> commandsOrders = new HashMap<>();
  private int ticks;
  private boolean meterFails;
  private long meteredNs = System.nanoTime();
  private long measuredNs = System.nanoTime();
  private boolean failing;

  private final MetricSet<AgentMetric> metrics = new MetricSet<>("DayuAgent", AgentMetric.values());
  private MetricsPublication publication;
  private volatile Optional<LoadProto> load = Optional.empty();
  /** As of the last tick. */
  private volatile List<Volume> volumesNow = List.of();

  /**
   * @param version of Dayu
   * @param served counts what other nodes' transfers read here; the meter may ask it
   */
  Agent(DataNodeAccess node, Settings settings, String version, BandwidthMeter meter, NetworkBandwidth network,
      ServedReads served) {
    this(node, settings, version, meter, network, served,
        new NodeShaper(settings, meter.countedPerBlockByte(), network.bytesPerSec()));
  }

  Agent(DataNodeAccess node, Settings settings, String version, BandwidthMeter meter, NetworkBandwidth network,
      ServedReads served, NodeShaper shaper) {
    this.node = node;
    this.settings = settings;
    this.version = version;
    this.meter = meter;
    this.served = served;
    this.bandwidthAssumed = network.assumed();
    this.estimator = new LoadEstimator(settings, network.bytesPerSec(), meter);
    this.shaper = shaper;
    this.reconstructions = new StockReconstructions(shaper);
    this.volumes = new VolumeShapers(node, settings);
    this.limits = new BlockPoolLimits(settings, shaper);
    this.meterReader = new MeterReader(meter, shaper);
    this.replicaCheck = new ReplicaCheck(node::checkReplica);
    this.replicaVerification = new ReplicaVerification(node::verifyReplica, this::wakeReporters);
    this.transfers =
        new TransferService(node, this::maxTransfers, shaper, volumes, settings.bytes(Setting.REBUILD_MEMORY),
            this::wakeReporters);
  }

  private void wakeReporters() {
    reporters.values().forEach(Reporter::wake);
  }

  void start() {
    bindMetrics();
    publication = MetricsPublication.of("DayuAgent", "Dayu's agent on this DataNode", metrics);
    meterReader.start();
    transfers.start();
    timer.scheduleWithFixedDelay(this::tick, 0, TICK_MS, TimeUnit.MILLISECONDS);
  }

  private void bindMetrics() {
    metrics.bind(AgentMetric.NAME_NODES, reporters::size);
    metrics.bind(AgentMetric.CAPACITY_IN_BYTES_PER_SEC, () -> load.map(LoadProto::getCapacityInBytesPerSec).orElse(0L));
    metrics.bind(AgentMetric.CAPACITY_OUT_BYTES_PER_SEC,
        () -> load.map(LoadProto::getCapacityOutBytesPerSec).orElse(0L));
    metrics.bind(AgentMetric.VOLUMES_BYTES_PER_SEC, () -> estimator.volumesBytesPerSec(node.volumes()));
    metrics.bind(AgentMetric.FOREGROUND_IN_BYTES_PER_SEC,
        () -> load.map(LoadProto::getForegroundInBytesPerSec).orElse(0L));
    metrics.bind(AgentMetric.FOREGROUND_OUT_BYTES_PER_SEC,
        () -> load.map(LoadProto::getForegroundOutBytesPerSec).orElse(0L));
    metrics.bind(AgentMetric.RECEIVED_BYTES, transfers::receivedBytes);
    metrics.bind(AgentMetric.SERVED_BYTES, served::bytes);
    metrics.bind(AgentMetric.RECONSTRUCTION_READ_BYTES, reconstructions::readBytes);
    metrics.bind(AgentMetric.RECONSTRUCTION_WRITTEN_BYTES, reconstructions::writtenBytes);
    metrics.bind(AgentMetric.RECONSTRUCTION_SERVED_BYTES, reconstructions::servedBytes);
    metrics.bind(AgentMetric.DISKS_FULL_MS, transfers::disksFullMs);
    metrics.bind(AgentMetric.DISK_WAIT_MS, volumes::waitedMs);
    metrics.bind(AgentMetric.LOWER_EFFORT_STARVED, () -> shaper.isStarved() ? 1L : 0L);
  }

  private void tick() {
    boolean looks = ticks++ % LOOK_TICKS == 0 || reporters.isEmpty() || failing;
    boolean throttled = succeeds(this::installThrottlers);
    boolean measured = succeeds(this::measure);
    if (!measured && System.nanoTime() - measuredNs >= UNKNOWN_NS) {
      load = load.map(estimator::unknown);
    }
    boolean found = !looks || succeeds(this::findNameNodes);
    failing = !throttled || !measured || !found;
  }

  /** Runs a step of the timer; what it throws, also an Error, goes no further. */
  private boolean succeeds(Step step) {
    try {
      step.run();
      return true;
    } catch (IOException | RuntimeException | Error e) {
      if (failing) {
        LOG.debug("Dayu's agent still could not measure this node or look up its NameNodes", e);
      } else {
        LOG.warn("Dayu's agent could not measure this node or look up its NameNodes; trying again", e);
      }
      return false;
    }
  }

  /** Called repeatedly, since an admin's {@code -reconfig} installs another throttler. */
  private void installThrottlers() {
    RecoveryReadThrottler.install(node, shaper, served, reconstructions, volumes);
    ReconstructionReadThrottler.install(node, reconstructions);
    ReconstructionWriteThrottler.install(node, reconstructions);
  }

  private void measure() {
    List<Volume> volumes = node.volumes();
    try {
      estimator.sample(meterReader.read(), transfers.receivedBytes(), served.bytes(), System.nanoTime());
      meteredNs = System.nanoTime();
      meterFails = false;
    } catch (IOException e) {
      if (!meterFails) {
        meterFails = true;
        LOG.warn("Cannot read the meter {}; in a few seconds the NameNode will plan this node with B_min only",
            meter.describe(), e);
      }
    }
    load = System.nanoTime() - meteredNs >= UNKNOWN_NS ? estimator.unknownLoad(volumes) : estimator.load(volumes);
    load = load.map(now -> LoadEstimator.withDisks(now, transfers.disksBytesPerSec()));
    measuredNs = System.nanoTime();
    boolean changed = !volumesNow.equals(volumes) && !Set.copyOf(volumesNow).equals(Set.copyOf(volumes));
    volumesNow = volumes;
    if (changed) {
      load.ifPresent(now -> LOG.info("Dayu reports {} volumes and {} bytes/s in each direction",
          now.getVolumesCount(), now.getCapacityInBytesPerSec()));
    }
  }

  private void findNameNodes() throws IOException {
    if (node.datanodeUuid() == null) {
      return; // It comes with the first handshake.
    }
    Set<NameNode> present = new HashSet<>(node.nameNodes());
    reporters.entrySet().removeIf(entry -> {
      boolean gone = !present.contains(entry.getKey());
      if (gone) {
        entry.getValue().stop();
      }
      return gone;
    });
    limits.retain(present.stream().map(NameNode::blockPoolId).collect(Collectors.toSet()));
    for (NameNode nameNode : present) {
      if (!reporters.containsKey(nameNode)) {
        ReportExchange exchange = new ReportExchange(this, nameNode.blockPoolId(),
            NetUtils.getHostPortString(nameNode.address()), version, () -> node.isActive(nameNode),
            commandsOrders.computeIfAbsent(nameNode.blockPoolId(), pool -> new AgentCommandsOrder()),
            Reporter.RPC_TIMEOUT_MS, System::nanoTime);
        Reporter reporter = new Reporter(exchange, connect(node, nameNode));
        reporters.put(nameNode, reporter);
        reporter.start();
      }
    }
  }

  /** A proxy that does not retry by itself, so a failing call fails soon. It connects with the first call. */
  static DayuProtocolPB connect(DataNodeAccess node, NameNode nameNode) throws IOException {
    Configuration conf = new Configuration(node.conf());
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 0);
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 0);
    conf.setInt(CommonConfigurationKeys.IPC_CLIENT_CONNECT_TIMEOUT_KEY, DayuProtocolPB.CONNECT_TIMEOUT_MS);
    RPC.setProtocolEngine(conf, DayuProtocolPB.class, ProtobufRpcEngine2.class);
    return RPC.getProtocolProxy(DayuProtocolPB.class, DayuProtocolPB.VERSION, nameNode.address(),
        UserGroupInformation.getLoginUser(), conf, NetUtils.getSocketFactory(conf, DayuProtocolPB.class),
        Reporter.RPC_TIMEOUT_MS,
        RetryPolicies.TRY_ONCE_THEN_FAIL).getProxy();
  }

  private int maxTransfers() {
    long streams = 0;
    for (Volume volume : volumesNow) {
      streams += settings.forStorageType(Setting.VOLUME_MAX_STREAMS, volume.type());
    }
    return (int) Math.min(Integer.MAX_VALUE, streams);
  }

  @Override
  public String datanodeUuid() {
    return node.datanodeUuid();
  }

  @Override
  public long incarnation() {
    return incarnation;
  }

  @Override
  public long startMs() {
    return startMs;
  }

  @Override
  public boolean isBandwidthAssumed() {
    return bandwidthAssumed;
  }

  @Override
  public Optional<Marking> marking() {
    return shaper.reportedMarking();
  }

  @Override
  public Optional<LoadProto> load() {
    return load;
  }

  @Override
  public TransferRegistry granted() {
    return transfers.granted();
  }

  @Override
  public ActivePools.Shares shares(String blockPoolId) {
    long nowNs = System.nanoTime();
    return activePools.shares(blockPoolId, transfers.granted().activePools(), served.activePools(nowNs), nowNs);
  }

  @Override
  public void limits(String blockPoolId, OptionalDouble alpha, OptionalLong minBytesPerSec,
      Optional<String> volumeMaxStreams, int sharers, boolean unmarked) {
    limits.set(blockPoolId, alpha, minBytesPerSec, volumeMaxStreams, sharers, unmarked);
    reconstructions.dayuRecovers(System.nanoTime());
  }

  @Override
  public boolean rebuilds() {
    return codecs.usable() && settings.bytes(Setting.REBUILD_MEMORY) > 0;
  }

  @Override
  public List<String> furtherCodecs() {
    return codecs.further();
  }

  @Override
  public void checkReplicas(String blockPoolId, List<BlockSpecProto> suspects) {
    replicaCheck.offer(blockPoolId, suspects);
  }

  @Override
  public void verifyReplicas(String blockPoolId, List<BlockSpecProto> named) {
    replicaVerification.set(blockPoolId, named);
  }

  @Override
  public List<VerifiedReplicaProto> verified(String blockPoolId) {
    return replicaVerification.results(blockPoolId);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    try {
      // A run of the timer that is under way may add a reporter.
      timer.awaitTermination(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    reporters.values().forEach(Reporter::stop);
    transfers.close();
    replicaCheck.close();
    replicaVerification.close();
    RecoveryReadThrottler.remove(node);
    ReconstructionReadThrottler.remove(node);
    ReconstructionWriteThrottler.remove(node);
    meterReader.close();
    if (meter instanceof Closeable open) {
      IOUtils.cleanupWithLogger(LOG, open);
    }
    if (publication != null) {
      publication.close();
    }
  }
}
