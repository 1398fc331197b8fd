/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.monitor;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.namenode.monitor.RecoveryProgress.Progress;
import io.dayu.namenode.status.DayuStatus;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class RecoveryHistoryTest {
  /** The names are those of {@code docs/json.md}; records become JSON by their components. */
  @Test
  void view_hasTheFieldsOfTheJsonPage_inTheirOrder() throws Exception {
    Progress progress = new Progress(1, true, "a", "b", 2, 3, new RecoveryProgress.Amounts(4, 5, 6, 7, 8, 9, 10),
        new RecoveryProgress.LinkUse(0.5, 0.25, 0.125), new RecoveryProgress.Estimate(11, 0.75, 12));
    assertEquals("{\"number\":1,\"active\":true,\"cause\":\"a\",\"endReason\":\"b\",\"beganMs\":2,\"seconds\":3,"
        + "\"blocksDone\":4,\"blocksLeft\":5,\"blocksNotCopied\":6,\"bytesDone\":7,\"bytesLeft\":8,\"bytesPerSec\":9,"
        + "\"failedTransfers\":10,\"shareOfAllowed\":0.5,\"interference\":0.25,\"worstInterference\":0.125,"
        + "\"etaSeconds\":11,\"etaError\":0.75,\"firstEndMs\":12}", new ObjectMapper().writeValueAsString(progress));
    RecoveryHistory history = new RecoveryHistory();
    history.add(new RecoveryHistory.Sample(1, 2, 3, 4, 5, 6, 7, 8));
    history.timeslot(new DayuStatus.Timeslot(1, 2, 3, 4, 5, 6, 7, 8, 9), 10);
    history.recovery(progress);
    history.state(1, "DAYU", "c");
    assertEquals("{\"timeMs\":[1],\"waitingBlocks\":[2],\"runningTransfers\":[3],\"recoveryBytesPerSec\":[4],"
        + "\"recoveredBytes\":[5],\"foregroundInBytesPerSec\":[6],\"foregroundOutBytesPerSec\":[7],"
        + "\"capacityBytesPerSec\":[8],\"timeslots\":[{\"timeMs\":10,\"number\":1,\"planned\":2,\"rejected\":3,"
        + "\"finished\":4,\"running\":8,\"waiting\":9,\"stragglers\":6,\"evicted\":7,\"planMillis\":5}],"
        + "\"recoveries\":[{\"number\":1,\"active\":true,\"cause\":\"a\",\"endReason\":\"b\",\"beganMs\":2,"
        + "\"seconds\":3,\"blocksDone\":4,\"blocksLeft\":5,\"blocksNotCopied\":6,\"bytesDone\":7,"
        + "\"failedTransfers\":10,\"shareOfAllowed\":0.5,\"interference\":0.25,\"worstInterference\":0.125,"
        + "\"etaError\":0.75}],\"states\":[{\"timeMs\":1,\"state\":\"DAYU\",\"reason\":\"c\"}]}",
        new ObjectMapper().writeValueAsString(history.view()));
  }
}
