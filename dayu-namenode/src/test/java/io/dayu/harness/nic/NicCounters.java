/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.nic;

/** Block bytes that a NIC has carried since it was made, by direction and kind. Immutable. */
public record NicCounters(long foregroundInBytes, long recoveryInBytes, long foregroundOutBytes,
    long recoveryOutBytes) {

  public long bytes(Direction direction, Traffic traffic) {
    if (direction == Direction.IN) {
      return traffic == Traffic.FOREGROUND ? foregroundInBytes : recoveryInBytes;
    }
    return traffic == Traffic.FOREGROUND ? foregroundOutBytes : recoveryOutBytes;
  }

  public long bytes(Direction direction) {
    return bytes(direction, Traffic.FOREGROUND) + bytes(direction, Traffic.RECOVERY);
  }

  public NicCounters minus(NicCounters earlier) {
    return new NicCounters(foregroundInBytes - earlier.foregroundInBytes, recoveryInBytes - earlier.recoveryInBytes,
        foregroundOutBytes - earlier.foregroundOutBytes, recoveryOutBytes - earlier.recoveryOutBytes);
  }
}
