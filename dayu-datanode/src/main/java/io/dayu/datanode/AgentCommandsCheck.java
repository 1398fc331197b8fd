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
import io.dayu.protocol.FieldCheck;

import java.io.IOException;

/** Refuses commands with numbers, counts or lengths out of bounds. No state. */
final class AgentCommandsCheck {
  private static final int MAX_GRANTS = 10_000;
  private static final int MAX_ALTERNATES = 100;
  private static final int MAX_ACKNOWLEDGED = 10_000;
  private static final int MAX_SUSPECTS = 10_000;
  private static final int MAX_SHARERS = 10_000;
  /** The longest lease that the settings allow. */
  private static final long MAX_LEASE_MS = 3_600_000;
  private static final FieldCheck FIELDS = new FieldCheck("commands");

  private AgentCommandsCheck() {
  }

  /** Throws if a field is out of its bounds; the message names field and value. */
  static void check(AgentCommandsProto commands) throws IOException {
    FIELDS.name("namenodeId", commands.getNamenodeId());
    FIELDS.name("volumeMaxStreams", commands.getVolumeMaxStreams());
    FIELDS.within("sequence", commands.getSequence(), Long.MAX_VALUE);
    FIELDS.within("nextReportMs", commands.getNextReportMs(), Integer.MAX_VALUE);
    FIELDS.within("minSpacingMs", commands.getMinSpacingMs(), Integer.MAX_VALUE);
    FIELDS.within("meterSharers", commands.getMeterSharers(), MAX_SHARERS);
    FIELDS.within("acknowledged", commands.getAcknowledgedCount(), MAX_ACKNOWLEDGED);
    FIELDS.within("suspects", commands.getSuspectsCount(), MAX_SUSPECTS);
    for (BlockSpecProto suspect : commands.getSuspectsList()) {
      check("suspect", suspect);
    }
    FIELDS.within("verifications", commands.getVerificationsCount(), MAX_SUSPECTS);
    for (BlockSpecProto replica : commands.getVerificationsList()) {
      check("verification", replica);
    }
    FIELDS.within("grants", commands.getGrantsCount(), MAX_GRANTS);
    for (GrantProto grant : commands.getGrantsList()) {
      check(grant);
    }
  }

  private static void check(GrantProto grant) throws IOException {
    check("grant.block", grant.getBlock());
    FIELDS.rate("grant.rateBytesPerSec", grant.getRateBytesPerSec());
    FIELDS.rate("grant.maxBytesPerSec", grant.getMaxBytesPerSec());
    FIELDS.within("grant.leaseMs", grant.getLeaseMs(), MAX_LEASE_MS);
    FIELDS.source("grant.source", grant.getSource());
    FIELDS.within("grant.alternates", grant.getAlternatesCount(), MAX_ALTERNATES);
    for (SourceProto alternate : grant.getAlternatesList()) {
      FIELDS.source("grant.alternates", alternate);
    }
    FIELDS.group("grant.group", grant.getGroup());
    FIELDS.furtherSources("grant.furtherSources", grant.getFurtherSourcesList());
    FIELDS.name("grant.storageType", grant.getStorageType());
    FIELDS.name("grant.storageId", grant.getStorageId());
  }

  private static void check(String field, BlockSpecProto block) throws IOException {
    FIELDS.within(field + ".numBytes", block.getNumBytes(), FieldCheck.MAX_BLOCK_BYTES);
    FIELDS.within(field + ".generationStamp", block.getGenerationStamp(), Long.MAX_VALUE);
  }
}
