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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What {@code hdfs dayu -check} can find with the DataNode's jar only: one line for each fault. It is loaded by its
 * name. No state.
 */
public final class DataNodeCheck implements Function<Configuration, List<String>> {
  @Override
  public List<String> apply(Configuration conf) {
    List<String> faults = new ArrayList<>();
    DataNodeAccess.missingMembers().forEach(member -> faults
        .add("Hadoop " + VersionInfo.getVersion() + " has no " + member + ", which Dayu needs on a DataNode"));
    try {
      Settings settings = Settings.read(conf);
      LowerEffort.read(settings).obstacle()
          .ifPresent(obstacle -> faults.add("Dayu cannot mark all of its traffic as lower effort: " + obstacle));
      meter(conf, settings, faults);
    } catch (BadSettingException e) {
      // That is reported with all other settings.
      return faults;
    }
    return faults;
  }

  private static void meter(Configuration conf, Settings settings, List<String> faults) {
    String meter = settings.choice(Setting.METER);
    if (meter.equals("nic")) {
      for (String name : settings.names(Setting.METER_INTERFACES)) {
        if (!Files.exists(NicMeter.SYS_CLASS_NET.resolve(name))) {
          faults.add("setting " + Setting.METER_INTERFACES.key() + " names " + name
              + ", but this host has no such network interface");
        }
      }
      networkBandwidth(conf, settings, faults);
    } else if (!meter.equals("datanode") && !meter.equals("fixed")) {
      Class<?> named = conf.getClassByNameOrNull(meter);
      if (named == null || !BandwidthMeter.class.isAssignableFrom(named)) {
        faults.add("setting " + Setting.METER.key() + " = '" + meter + "' is not valid: expected the name of a class "
            + "that implements " + BandwidthMeter.class.getName() + " (" + (named == null ? "not found" : "it does not")
            + ")");
      }
    }
  }

  /** What the interfaces tell, as the agent will read it. */
  private static void networkBandwidth(Configuration conf, Settings settings, List<String> faults) {
    try (NicMeter nic = NicMeter.open(NicMeter.SYS_CLASS_NET,
        new TransferInterfaces(settings.names(Setting.METER_INTERFACES),
            NetUtils.createSocketAddr(conf.getTrimmed(DFSConfigKeys.DFS_DATANODE_ADDRESS_KEY,
                DFSConfigKeys.DFS_DATANODE_ADDRESS_DEFAULT)).getAddress(),
            Optional::empty, TransferInterfaces::carrier),
        "", System::nanoTime)) {
      if (settings.bytesPerSec(Setting.NODE_BANDWIDTH) == 0 && nic.capacityBytesPerSec().orElse(0) == 0) {
        faults.add("this host's network interfaces do not tell what they carry; set " + Setting.NODE_BANDWIDTH.key());
      }
    } catch (IOException | IllegalArgumentException e) {
      faults.add("this host's network interfaces cannot be read (" + e + "); set " + Setting.METER.key()
          + "=datanode, whose counters are coarse");
    }
  }
}
