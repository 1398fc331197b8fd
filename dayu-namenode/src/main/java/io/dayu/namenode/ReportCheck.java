/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.model.NodeTable;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.VolumeProto;

import java.io.IOException;

/** Refuses a report with numbers that planning could not work with, so that one agent's fault stays its own. No state. */
final class ReportCheck {
  private static final int MOST_VOLUMES = 1_000;
  private static final int MOST_STREAMS = 10_000;

  private ReportCheck() {
  }

  /** Throws if a field is out of its bounds; the message names field and value. */
  static void check(ReportProto report) throws IOException {
    if (report.hasLoad()) {
      check(report.getLoad());
    }
    for (RunningTransferProto running : report.getRunningList()) {
      long numBytes = running.getBlock().getNumBytes();
      within("running.block.numBytes", numBytes, Long.MAX_VALUE);
      within("running.doneBytes", running.getDoneBytes(), numBytes);
      within("running.rateBytesPerSec", running.getRateBytesPerSec(), NodeTable.MAX_BYTES_PER_SEC);
      within("running.achievedBytesPerSec", running.getAchievedBytesPerSec(), NodeTable.MAX_BYTES_PER_SEC);
    }
  }

  private static void check(LoadProto load) throws IOException {
    within("load.capacityInBytesPerSec", load.getCapacityInBytesPerSec(), NodeTable.MAX_BYTES_PER_SEC);
    within("load.capacityOutBytesPerSec", load.getCapacityOutBytesPerSec(), NodeTable.MAX_BYTES_PER_SEC);
    within("load.foregroundInBytesPerSec", load.getForegroundInBytesPerSec(), Long.MAX_VALUE);
    within("load.foregroundOutBytesPerSec", load.getForegroundOutBytesPerSec(), Long.MAX_VALUE);
    within("load.volumes", load.getVolumesCount(), MOST_VOLUMES);
    for (VolumeProto volume : load.getVolumesList()) {
      within("volume.maxStreams", volume.getMaxStreams(), MOST_STREAMS);
    }
  }

  private static void within(String field, long value, long most) throws IOException {
    if (value < 0 || value > most) {
      throw new IOException("report refused: " + field + " = " + value + ", expected 0 to " + most);
    }
  }
}
