/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

/**
 * An erasure coding policy as it is needed to rebuild. Immutable.
 *
 * @param name of the policy, such as RS-6-3-1024k
 * @param codec name of its codec, such as rs
 * @param dataUnits internal blocks with data
 * @param parityUnits internal blocks with parity
 * @param cellBytes size of a cell
 */
public record GroupPolicy(String name, String codec, int dataUnits, int parityUnits, int cellBytes) {

  /**
   * Length of an internal block.
   *
   * @param groupBytes length of the group's data, without parity
   */
  public long internalBytes(long groupBytes, int index) {
    long stripeBytes = (long) cellBytes * dataUnits;
    // Parity is as long as the first internal block.
    long cellsBefore = index < dataUnits ? index : 0;
    long lastCellBytes = Math.max(0, Math.min(cellBytes, groupBytes % stripeBytes - cellsBefore * cellBytes));
    return groupBytes / stripeBytes * cellBytes + lastCellBytes;
  }
}
