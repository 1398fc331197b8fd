/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.CommitResult;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitingBlock;
import io.dayu.namenode.exchange.GroupSpec;
import io.dayu.namenode.exchange.RunningTransfer;
import io.dayu.namenode.exchange.SourceAddress;

import java.util.List;

/** Transfers in the state that a test wants, without a tracker. They begin at 0 ns. */
public final class AttemptFixture {
  private static final CommitResult COMMITTED = CommitResult.committed("s", "DISK");

  private AttemptFixture() {
  }

  /** A transfer that its target has not reported yet, at 0 bytes/s. */
  public static Attempt granted(long id, TransferRequest request, WaitingBlock block) {
    return granted(id, request, block, 0);
  }

  public static Attempt granted(long id, TransferRequest request, WaitingBlock block, long rateBytesPerSec) {
    return Attempt.granted(id, request, block, COMMITTED, rateBytesPerSec, 0, 0);
  }

  /** A running transfer that has received nothing, at 0 bytes/s. */
  public static Attempt running(long id, TransferRequest request) {
    return running(id, request, 0);
  }

  public static Attempt running(long id, TransferRequest request, long rateBytesPerSec) {
    return adopted(id, request, rateBytesPerSec, 0);
  }

  /** @param doneBytes what its target had of the block before */
  public static Attempt adopted(long id, TransferRequest request, long rateBytesPerSec, long doneBytes) {
    RunningTransfer running =
        new RunningTransfer(id, request.block(), request.numBytes(), null, "DISK", doneBytes, 0, 0,
            null, "");
    return Attempt.adopted(running, request, COMMITTED, rateBytesPerSec, 0, 0);
  }

  /** A running transfer that reads the sources of its request, all of which are alive. */
  public static Attempt rebuilding(long id, TransferRequest request, long rateBytesPerSec) {
    List<SourceAddress> sources = request.group().sources().stream()
        .map(one -> new SourceAddress(one.node(), "10.0.0.1", one.node(), 9866, one.index())).toList();
    RunningTransfer running = new RunningTransfer(id, request.block(), request.numBytes(), sources.get(0), "DISK", 0,
        0, 0, null, "", new RunningTransfer.Rebuild(new GroupSpec(request.group().policy(), request.numBytes()),
            sources.subList(1, sources.size()), null, 0));
    return Attempt.adopted(running, request, COMMITTED, rateBytesPerSec, 0, 0);
  }

  /** Its target waits for this source; null for none in particular. */
  public static void waitsFor(Attempt attempt, String source) {
    attempt.waitsFor(source);
  }

  /** Its first source fails. */
  public static Attempt lost(Attempt attempt) {
    attempt.loseSource(attempt.sources().get(0));
    return attempt;
  }

  /** Its target's agent reports this. */
  public static Attempt progressed(Attempt attempt, long doneBytes, long achievedBytesPerSec) {
    return progressed(attempt, doneBytes, achievedBytesPerSec, 0);
  }

  public static Attempt progressed(Attempt attempt, long doneBytes, long achievedBytesPerSec, long nowNs) {
    attempt.progressed(doneBytes, achievedBytesPerSec, nowNs);
    return attempt;
  }

  /** Its target's agent says that it was done. */
  public static Attempt received(Attempt attempt) {
    attempt.received(0);
    return attempt;
  }

  public static Attempt cancelled(Attempt attempt) {
    attempt.cancelled(0, 0);
    return attempt;
  }
}
