/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.namenode.exchange.SourceAddress;

/**
 * One of the nodes that a transfer reads: a copy has one, a rebuild as many as it needs internal blocks. Anyone in the
 * loop may read it; only steps of {@link TransferTracker} change it. Owned by the recovery loop; not thread-safe.
 */
public final class TransferSource {
  private String node;
  private int index;
  private boolean lost;
  private boolean slow;
  private SourceAddress address;

  TransferSource(String node, int index) {
    this.node = node;
    this.index = index;
  }

  /** UUID of the node, or of the last one while {@link #isLost}. */
  public String node() {
    return node;
  }

  /** Index of its internal block, if it has one of a group; else below 0. */
  public int index() {
    return index;
  }

  /** Whether another node has to take its place. */
  public boolean isLost() {
    return lost;
  }

  /** Whether it was given up because it is slow: then bytes from it do not make it a good source again. */
  boolean isSlow() {
    return slow;
  }

  /** Where the node was when last seen alive; null if never. */
  SourceAddress address() {
    return address;
  }

  void addressed(SourceAddress where) {
    address = where;
  }

  void lose(boolean becauseSlow) {
    lost = true;
    slow = becauseSlow;
  }

  void regain() {
    lost = false;
    slow = false;
  }

  void moveTo(String other, int otherIndex) {
    node = other;
    index = otherIndex;
    regain();
  }
}
