/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.DayuTurnsService;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuTurnsPB;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess.NameNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess.Volume;
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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The agent in one DataNode: keeps a {@link Reporter} for each NameNode that the DataNode has, measures the load, and holds the transfers
 * and the turns that others' transfers take here. One timer thread does the first two; what others call is safe for use by all threads.
 */
final class Agent implements Reporter.Context, Closeable {
  private static final long TURN_MS = 500;
  static final int RPC_TIMEOUT_MS = 10_000;
  /** Transfers at once for each stream that the volumes may have: a safety net, the NameNode plans with the streams themselves. */
  private static final int TRANSFERS_PER_STREAM = 2;

  private static final Logger LOG = LoggerFactory.getLogger(Agent.class);

  /** What there is of us where transfers yield: when ours take bytes, whom they ask, and where others ask. */
  private record Yielding(YieldingTurns turns, RpcSourceTurns sources, TurnsDesk desk) {
  }

  private final DataNodeAccess node;
  private final Settings settings;
  private final BandwidthMeter meter;
  private final LoadEstimator estimator;
  private final TransferService transfers;
  private final Optional<Yielding> yielding;
  private final ServedBytes served = new ServedBytes();
  private final long incarnation = ThreadLocalRandom.current().nextLong();
  private final Map<NameNode, Reporter> reporters = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
    Thread thread = new Thread(task, "dayu-agent");
    thread.setDaemon(true);
    return thread;
  });

  // Of the timer's thread.
  private final Map<String, DirectionsOrder> orders = new HashMap<>();
  private Set<Volume> knownVolumes = Set.of();
  private boolean meterFails;

  private volatile Optional<LoadProto> load = Optional.empty();

  /**
   * @param networkBytesPerSec what the network carries in each direction
   */
  Agent(DataNodeAccess node, Settings settings, BandwidthMeter meter, long networkBytesPerSec) {
    this.node = node;
    this.settings = settings;
    this.meter = meter;
    this.estimator = new LoadEstimator(settings, networkBytesPerSec, meter.countedPerBlockByte());
    this.yielding = settings.word(Setting.TRANSFER_YIELD).equals("true") ? Optional.of(yielding(networkBytesPerSec)) : Optional.empty();
    this.transfers = new TransferService(node, this::maxTransfers, yielding.<Turns>map(Yielding::turns).orElse(Turns.FREE),
        () -> reporters.values().forEach(Reporter::wake));
  }

  private Yielding yielding(long networkBytesPerSec) {
    RpcSourceTurns sources = new RpcSourceTurns(node::datanodeUuid, incarnation, node.connectsByHostName(),
        RpcSourceTurns.connector(node.conf()));
    double alpha = settings.ratio(Setting.MAX_UTILIZATION);
    // Of what is planned with, which the volumes may bound.
    YieldingTurns turns = new YieldingTurns(meter, networkBytesPerSec, () -> alpha * load.map(LoadProto::getCapacityInBytesPerSec)
        .orElse(networkBytesPerSec) / networkBytesPerSec, sources);
    return new Yielding(turns, sources, new TurnsDesk(turns.outgoing(), turns::wake));
  }

  void start() {
    yielding.ifPresent(present -> {
      RPC.setProtocolEngine(node.conf(), DayuTurnsPB.class, ProtobufRpcEngine2.class);
      if (!node.addProtocol(DayuTurnsPB.class, DayuTurnsService.newReflectiveBlockingService(present.desk()))) {
        LOG.warn("This DataNode's RPC server has no room for another protocol; targets cannot ask Dayu here for turns");
      }
    });
    timer.scheduleWithFixedDelay(this::turn, 0, TURN_MS, TimeUnit.MILLISECONDS);
  }

  private void turn() {
    try {
      measure();
      // The UUID comes with the first handshake.
      if (node.datanodeUuid() != null) {
        findNameNodes();
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.warn("Dayu's agent could not do its turn", e);
    }
  }

  private void measure() {
    List<Volume> volumes = node.volumes();
    try {
      // Who asked us for turns was counted here, of the others the NameNodes tell.
      long askedForBytes = yielding.isPresent() ? yielding.get().turns().outgoing().doneBytes() : 0;
      estimator.sample(meter.read(), transfers.receivedBytes(), served.total() + askedForBytes, System.nanoTime());
      meterFails = false;
    } catch (IOException e) {
      if (!meterFails) {
        meterFails = true;
        LOG.warn("Cannot read the meter {}; going on with the last values", meter.describe(), e);
      }
    }
    load = estimator.load(volumes);
    if (!knownVolumes.equals(Set.copyOf(volumes))) {
      knownVolumes = Set.copyOf(volumes);
      load.ifPresent(now -> LOG.info("Dayu counts on {} volumes and {} bytes/s in each direction",
          now.getVolumesCount(), now.getCapacityInBytesPerSec()));
    }
  }

  private void findNameNodes() throws IOException {
    Set<NameNode> present = new HashSet<>(node.nameNodes());
    reporters.entrySet().removeIf(entry -> {
      boolean gone = !present.contains(entry.getKey());
      if (gone) {
        entry.getValue().stop();
      }
      return gone;
    });
    for (NameNode nameNode : present) {
      if (!reporters.containsKey(nameNode)) {
        Reporter reporter = new Reporter(this, nameNode.blockPoolId(), NetUtils.getHostPortString(nameNode.address()),
            connect(nameNode), () -> node.isActive(nameNode),
            orders.computeIfAbsent(nameNode.blockPoolId(), pool -> new DirectionsOrder()));
        reporters.put(nameNode, reporter);
        reporter.start();
      }
    }
  }

  /** A proxy that fails soon rather than retry by itself. Nothing is connected yet. */
  private DayuProtocolPB connect(NameNode nameNode) throws IOException {
    Configuration conf = new Configuration(node.conf());
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 0);
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 0);
    conf.setInt(CommonConfigurationKeys.IPC_CLIENT_CONNECT_TIMEOUT_KEY, RPC_TIMEOUT_MS);
    RPC.setProtocolEngine(conf, DayuProtocolPB.class, ProtobufRpcEngine2.class);
    return RPC.getProtocolProxy(DayuProtocolPB.class, DayuProtocolPB.VERSION, nameNode.address(),
        UserGroupInformation.getLoginUser(), conf, NetUtils.getSocketFactory(conf, DayuProtocolPB.class), RPC_TIMEOUT_MS,
        RetryPolicies.TRY_ONCE_THEN_FAIL).getProxy();
  }

  private int maxTransfers() {
    long streams = node.volumes().stream()
        .mapToLong(volume -> settings.forStorageType(Setting.VOLUME_MAX_STREAMS, volume.type())).sum();
    return (int) Math.min(Integer.MAX_VALUE, TRANSFERS_PER_STREAM * streams);
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
  public Optional<LoadProto> load() {
    return load;
  }

  @Override
  public ServedBytes served() {
    return served;
  }

  @Override
  public TransferService transfers() {
    return transfers;
  }

  @Override
  public void close() {
    timer.shutdownNow();
    try {
      // A turn that is under way may add a reporter.
      timer.awaitTermination(RPC_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    reporters.values().forEach(Reporter::stop);
    yielding.ifPresent(present -> present.desk().close());
    transfers.close();
    yielding.ifPresent(present -> present.sources().close());
  }
}
