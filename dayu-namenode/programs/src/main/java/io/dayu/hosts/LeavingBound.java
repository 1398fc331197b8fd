/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * The shortest time in which a leaving DataNode's data can be had elsewhere: the leaving node sends copies all the
 * time, and whatever it cannot send until the end is made from the others. It copies internal blocks first, which saves
 * most. Where data is placed does not count. Stateless.
 */
final class LeavingBound {
  private LeavingBound() {
  }

  /**
   * In seconds; infinite if it can never be done.
   *
   * @param needed what it takes without the leaving node
   * @param receivable bytes that the other DataNodes together can receive for recovery in the first seconds
   * @param sendable the same for what they can send
   * @param sendableByLeaving the same for what the leaving node can send
   */
  static double seconds(List<NeededTransfer> needed, DoubleUnaryOperator receivable, DoubleUnaryOperator sendable,
      DoubleUnaryOperator sendableByLeaving) {
    double groupBytes = needed.stream().filter(each -> each.width() > 1).mapToDouble(NeededTransfer::bytes).sum();
    double rebuildBytes = needed.stream().filter(each -> each.width() > 1)
        .mapToDouble(each -> each.bytes() * each.width()).sum();
    double replicaBytes = needed.stream().filter(each -> each.width() == 1).mapToDouble(NeededTransfer::bytes).sum();
    return FlowBound.smallest(seconds -> {
      double sentByLeaving = Math.min(groupBytes + replicaBytes, sendableByLeaving.applyAsDouble(seconds));
      double copied = Math.min(groupBytes, sentByLeaving);
      double sentByOthers = rebuildBytes * (groupBytes == 0 ? 0 : 1 - copied / groupBytes)
          + replicaBytes - (sentByLeaving - copied);
      return sentByOthers <= sendable.applyAsDouble(seconds)
          && sentByOthers + sentByLeaving <= receivable.applyAsDouble(seconds);
    });
  }
}
