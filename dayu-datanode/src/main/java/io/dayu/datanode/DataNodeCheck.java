/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.datanode.transfer.LowerEffort;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.util.VersionInfo;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * What {@code hdfs dayu -check} can find with the DataNode's jar only: one line for each fault. It is loaded by its
 * name. No state.
 */
public final class DataNodeCheck implements BiConsumer<Configuration, Consumer<String>> {
  /** @param faults hears of each fault at once: a later part may break on another Hadoop */
  @Override
  public void accept(Configuration conf, Consumer<String> faults) {
    settings(conf, faults);
    DataNodeAccess.missingMembers().forEach(member -> faults
        .accept("Hadoop " + VersionInfo.getVersion() + " has no " + member + ", which Dayu needs on a DataNode"));
  }

  private static void settings(Configuration conf, Consumer<String> faults) {
    Settings settings;
    try {
      settings = Settings.read(conf);
    } catch (BadSettingException e) {
      // That is reported with all other settings.
      return;
    }
    meter(conf, settings, faults);
    LowerEffort.read(settings).obstacle()
        .ifPresent(obstacle -> faults.accept("Dayu cannot mark all of its traffic as lower effort: " + obstacle));
  }

  private static void meter(Configuration conf, Settings settings, Consumer<String> faults) {
    String meter = settings.choice(Setting.METER);
    if (meter.equals("nic")) {
      for (String name : settings.names(Setting.METER_INTERFACES)) {
        if (!Files.exists(NicMeter.SYS_CLASS_NET.resolve(name))) {
          faults.accept("setting " + Setting.METER_INTERFACES.key() + " names " + name
              + ", but this host has no such network interface");
        }
      }
      networkBandwidth(conf, settings, faults);
    } else if (!meter.equals("datanode") && !meter.equals("fixed")) {
      Class<?> named = conf.getClassByNameOrNull(meter);
      if (named == null || !BandwidthMeter.class.isAssignableFrom(named)) {
        faults.accept("setting " + Setting.METER.key() + " = '" + meter
            + "' is not valid: expected the name of a class "
            + "that implements " + BandwidthMeter.class.getName() + " (" + (named == null ? "not found" : "it does not")
            + ")");
      }
    }
  }

  /** What the interfaces tell, as the agent will read it. */
  private static void networkBandwidth(Configuration conf, Settings settings, Consumer<String> faults) {
    try (NicMeter nic = NicMeter.open(NicMeter.SYS_CLASS_NET,
        new TransferInterfaces(settings.names(Setting.METER_INTERFACES),
            NetUtils.createSocketAddr(conf.getTrimmed(DFSConfigKeys.DFS_DATANODE_ADDRESS_KEY,
                DFSConfigKeys.DFS_DATANODE_ADDRESS_DEFAULT)).getAddress(),
            Optional::empty, TransferInterfaces::carrier),
        "", System::nanoTime)) {
      if (settings.bytesPerSec(Setting.NODE_BANDWIDTH) == 0 && nic.capacityBytesPerSec().orElse(0) == 0) {
        faults
            .accept("this host's network interfaces do not tell what they carry; set " + Setting.NODE_BANDWIDTH.key());
      }
    } catch (IOException | IllegalArgumentException e) {
      faults.accept("this host's network interfaces cannot be read (" + e + "); set " + Setting.METER.key()
          + "=datanode, whose counters are coarse");
    }
  }
}
