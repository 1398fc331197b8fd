/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.GrantProto;

/**
 * The lease of a transfer, as the production class keeps it, for tests in another package and under their clock. Safe
 * for use by all threads.
 */
public final class TransferLease {
  private static final long LINK_BYTES_PER_SEC = 1_000_000;

  private final TransferControl control;

  /** @param nowNs when the report was sent that the grant answers */
  public TransferLease(GrantProto grant, long nowNs) {
    // Nothing is received: the thread does not run, and the link is not used.
    this.control = new TransferControl(grant, nowNs, new Thread(),
        new LinkShaper(LINK_BYTES_PER_SEC, 1, 1, LINK_BYTES_PER_SEC, 1, nowNs));
  }

  /** Takes a newer grant, as {@link TransferService#apply}. */
  public void update(GrantProto newer, long nowNs) {
    control.update(newer, nowNs);
  }

  /** Whether the service's timer would end the transfer. */
  public boolean isOver(long nowNs) {
    return control.isLeaseOver(nowNs);
  }

  /** Whether the transfer's thread may make the replica final. */
  public boolean mayCommit(long nowNs) {
    try {
      control.commit(nowNs);
      return true;
    } catch (TransferControl.StopException e) {
      return false;
    }
  }
}
