/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

/**
 * How far a transfer was at a moment, how much it was to move, and whether a slow source has stalled it before,
 * for {@link StalledTransfers}. Owned by the recovery loop; not thread-safe.
 */
final class ProgressWatch {
  private long beganNs;
  private long beganAtBytes;
  /** Of that time, for how long others went before it. */
  private long behindNs;
  private long countedNs;
  private double plannedBytes;
  private boolean hadSlowSource;

  /**
   * Begins with a transfer that is granted or adopted now.
   *
   * @param doneBytes what its target has of the block
   */
  void begin(long doneBytes, long nowNs) {
    countedNs = nowNs;
    restart(doneBytes, nowNs);
  }

  /**
   * Watches from now on.
   *
   * @param doneBytes what its target has of the block now
   */
  void restart(long doneBytes, long nowNs) {
    beganNs = nowNs;
    beganAtBytes = doneBytes;
    behindNs = 0;
  }

  /**
   * Counts the time since this was last called, or since it began.
   *
   * @param rateBytesPerSec what the transfer is to move in a second
   * @param isBehind whether others go before it
   */
  void addTime(long rateBytesPerSec, boolean isBehind, long nowNs) {
    plannedBytes += rateBytesPerSec * ((nowNs - countedNs) / 1e9);
    behindNs += isBehind ? nowNs - countedNs : 0;
    countedNs = nowNs;
  }

  /** What the transfer was to move since it was granted or adopted. */
  double plannedBytes() {
    return plannedBytes;
  }

  /** For how long it has watched. */
  long lengthNs(long nowNs) {
    return nowNs - beganNs;
  }

  /** The same, without the time in which others went before it. */
  long ownLengthNs(long nowNs) {
    return lengthNs(nowNs) - behindNs;
  }

  /**
   * The bytes that the target has received since the watch began.
   *
   * @param doneBytes what its target has of the block now
   */
  long receivedBytes(long doneBytes) {
    return doneBytes - beganAtBytes;
  }

  /** Notes that the transfer was stalled, and is to get another source. */
  void noteSlowSource() {
    hadSlowSource = true;
  }

  /** Whether the transfer was stalled before. */
  boolean hadSlowSource() {
    return hadSlowSource;
  }
}
