/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.SourceProto;

import java.io.IOException;

/** Refuses commands with numbers, counts or lengths out of bounds. No state. */
final class AgentCommandsCheck {
  private static final int MAX_GRANTS = 10_000;
  private static final int MAX_ACKNOWLEDGED = 10_000;
  private static final int MAX_SUSPECTS = 10_000;
  private static final int MAX_SHARERS = 10_000;
  /** The same as the NameNode's own bound. */
  private static final long MAX_BYTES_PER_SEC = 1L << 40;
  /** The longest lease that the settings allow. */
  private static final long MAX_LEASE_MS = 3_600_000;
  private static final int MAX_PORT = 65_535;
  private static final int MAX_NAME_LENGTH = 256;

  private AgentCommandsCheck() {
  }

  /** Throws if a field is out of its bounds; the message names field and value. */
  static void check(AgentCommandsProto commands) throws IOException {
    length("namenodeId", commands.getNamenodeId());
    length("volumeMaxStreams", commands.getVolumeMaxStreams());
    within("sequence", commands.getSequence(), Long.MAX_VALUE);
    within("nextReportMs", commands.getNextReportMs(), Integer.MAX_VALUE);
    within("minSpacingMs", commands.getMinSpacingMs(), Integer.MAX_VALUE);
    within("meterSharers", commands.getMeterSharers(), MAX_SHARERS);
    within("acknowledged", commands.getAcknowledgedCount(), MAX_ACKNOWLEDGED);
    within("suspects", commands.getSuspectsCount(), MAX_SUSPECTS);
    for (BlockSpecProto suspect : commands.getSuspectsList()) {
      check("suspect", suspect);
    }
    within("grants", commands.getGrantsCount(), MAX_GRANTS);
    for (GrantProto grant : commands.getGrantsList()) {
      check(grant);
    }
  }

  private static void check(GrantProto grant) throws IOException {
    check("grant.block", grant.getBlock());
    within("grant.rateBytesPerSec", grant.getRateBytesPerSec(), MAX_BYTES_PER_SEC);
    within("grant.maxBytesPerSec", grant.getMaxBytesPerSec(), MAX_BYTES_PER_SEC);
    within("grant.leaseMs", grant.getLeaseMs(), MAX_LEASE_MS);
    SourceProto source = grant.getSource();
    length("grant.source.datanodeUuid", source.getDatanodeUuid());
    length("grant.source.ipAddress", source.getIpAddress());
    length("grant.source.hostName", source.getHostName());
    within("grant.source.transferPort", source.getTransferPort(), MAX_PORT);
    length("grant.storageType", grant.getStorageType());
    length("grant.storageId", grant.getStorageId());
  }

  private static void check(String field, BlockSpecProto block) throws IOException {
    within(field + ".numBytes", block.getNumBytes(), Long.MAX_VALUE);
    within(field + ".generationStamp", block.getGenerationStamp(), Long.MAX_VALUE);
  }

  private static void within(String field, long value, long max) throws IOException {
    if (value < 0 || value > max) {
      throw new IOException("commands refused: " + field + " = " + value + ", expected 0 to " + max);
    }
  }

  private static void length(String field, String value) throws IOException {
    if (value.length() > MAX_NAME_LENGTH) {
      throw new IOException("commands refused: " + field + " has " + value.length() + " characters, expected at most "
          + MAX_NAME_LENGTH);
    }
  }
}
