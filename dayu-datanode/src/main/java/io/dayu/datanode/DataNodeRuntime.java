/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.DayuVersion;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.datanode.transfer.LowerEffort;
import io.dayu.datanode.transfer.ServedReads;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.util.ServicePlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The plugin itself, which {@link DayuDataNodePlugin} loads after it has checked the Java version. It checks settings
 * and Hadoop, chooses the meter, and runs the {@link Agent}; or it runs only a {@link DeclinedReporter} that tells the
 * NameNodes why there is no agent. Called by the DataNode's main and shutdown threads only.
 */
public final class DataNodeRuntime implements ServicePlugin {
  /** 1 Gbit/s, assumed if the interfaces do not tell their speed. */
  static final long ASSUMED_BYTES_PER_SEC = 125_000_000;

  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
  private static final Path NETWORK_NAMESPACE = Path.of("/proc/self/ns/net");

  private static final Logger LOG = LoggerFactory.getLogger(DataNodeRuntime.class);

  private Agent agent;
  private DeclinedReporter declined;

  /**
   * @throws IllegalStateException with the one line to log, if the agent cannot run here
   */
  @Override
  public void start(Object service) {
    DataNode datanode = (DataNode) service;
    try {
      begin(datanode);
    } catch (RuntimeException | LinkageError e) {
      stop();
      declined = new DeclinedReporter(datanode, reason(e));
      declined.start();
      throw e;
    }
  }

  private static String reason(Throwable e) {
    return e instanceof IllegalStateException && e.getMessage() != null ? e.getMessage() : e.toString();
  }

  private void begin(DataNode datanode) {
    String version = DayuVersion.only();
    try {
      List<String> missing = DataNodeAccess.missingMembers();
      if (!missing.isEmpty()) {
        throw unknownHadoop("it has no " + String.join(", no ", missing));
      }
      DataNodeAccess node = new DataNodeAccess(datanode);
      Settings settings = Settings.read(node.conf());
      settings.warnings().forEach(LOG::warn);
      LowerEffort.read(settings).obstacle().ifPresent(
          obstacle -> LOG.warn("Dayu cannot mark all of its traffic as lower effort: {}; recovery goes on", obstacle));
      ServedReads served = new ServedReads();
      BandwidthMeter meter = meter(settings, node, served);
      NetworkBandwidth network = network(settings, meter);
      agent = new Agent(node, settings, version, meter, network, served);
      agent.start();
      LOG.info(
          "Dayu agent {} is active: meter {}, network {} bytes/s in each direction, volumes up to {} with {} transfers",
          version, meter.describe(), network.bytesPerSec(),
          node.conf().get(Setting.VOLUME_BANDWIDTH.key(), Setting.VOLUME_BANDWIDTH.defaultText()),
          node.conf().get(Setting.VOLUME_MAX_STREAMS.key(), Setting.VOLUME_MAX_STREAMS.defaultText()));
    } catch (BadSettingException e) {
      throw new IllegalStateException(e.getMessage(), e);
    } catch (ReflectiveOperationException | LinkageError e) {
      throw unknownHadoop(e.toString());
    }
  }

  private static IllegalStateException unknownHadoop(String missing) {
    return new IllegalStateException("this Hadoop is not one that it knows (" + missing + ")");
  }

  private static BandwidthMeter meter(Settings settings, DataNodeAccess node, ServedReads served) {
    switch (settings.choice(Setting.METER)) {
      case "fixed":
        return new FixedMeter();
      case "datanode":
        return dataNodeMeter(node, served);
      case "nic":
        try {
          return NicMeter.open(NicMeter.SYS_CLASS_NET, TransferInterfaces.of(settings, node), host(), System::nanoTime);
        } catch (IOException e) {
          LOG.warn(
              "Dayu cannot read this host's network interfaces ({}) and uses the DataNode's own counters, which are "
                  + "coarse. Set {}=datanode if this is intended.",
              e.toString(), Setting.METER.key());
          return dataNodeMeter(node, served);
        }
      default:
        return customMeter(settings.choice(Setting.METER), node.conf());
    }
  }

  private static BandwidthMeter dataNodeMeter(DataNodeAccess node, ServedReads served) {
    return new DataNodeMeter(node::bytesWritten, node::bytesRead, served::bytes, System::nanoTime);
  }

  /**
   * Equal for two processes if they run on the same host, since its last start, and see the same network interfaces.
   */
  private static String host() {
    try {
      return Files.readString(BOOT_ID).trim() + " " + Files.readSymbolicLink(NETWORK_NAMESPACE);
    } catch (IOException | UnsupportedOperationException e) {
      LOG.info("Dayu cannot tell whether other DataNodes run on this host ({})", e.toString());
      return "";
    }
  }

  /** A meter of the admin's own class: see {@link BandwidthMeter}. */
  private static BandwidthMeter customMeter(String className, Configuration conf) {
    try {
      return new CustomMeter(conf.getClassByName(className).asSubclass(BandwidthMeter.class)
          .getConstructor(Configuration.class).newInstance(conf));
    } catch (ReflectiveOperationException | LinkageError | ClassCastException e) {
      throw new IllegalStateException("setting " + Setting.METER.key() + " = '" + className
          + "' is not valid: expected a public class that " + "implements " + BandwidthMeter.class.getName()
          + " and has a public constructor that takes a Configuration ("
          + (e instanceof InvocationTargetException thrown ? thrown.getCause() : e) + ")", e);
    }
  }

  static NetworkBandwidth network(Settings settings, BandwidthMeter meter) {
    long set = settings.bytesPerSec(Setting.NODE_BANDWIDTH);
    if (set > 0) {
      return new NetworkBandwidth(set, false);
    }
    if (meter.capacityBytesPerSec().orElse(0) > 0) {
      return new NetworkBandwidth(meter.capacityBytesPerSec().getAsLong(), false);
    }
    LOG.warn("Dayu cannot tell what this host's network carries (meter {}) and assumes {} bytes/s. "
        + "Set {} to the right value.",
        meter.describe(), ASSUMED_BYTES_PER_SEC, Setting.NODE_BANDWIDTH.key());
    return new NetworkBandwidth(ASSUMED_BYTES_PER_SEC, true);
  }

  @Override
  public void stop() {
    if (declined != null) {
      declined.close();
      declined = null;
    }
    if (agent != null) {
      agent.close();
      agent = null;
    }
  }

  @Override
  public void close() {
    stop();
  }
}
