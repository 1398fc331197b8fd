/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

/**
 * How many bytes of a block its transfer may receive now: it acquires them from the link before they come, so that the
 * link knows them as recovery's own when the meter sees them; on a fast link several packets at a time, since each wait
 * costs more CPU time than a packet. These are one packet or what comes in {@link #MAX_AHEAD_SEC} at the transfer's
 * rate: what the meter sees much later it takes for clients' traffic. Pure arithmetic; not thread-safe.
 */
final class ReceiveAllowance {
  /** The bytes that HDFS sends at once by default, without encryption. */
  static final int PACKET_BYTES = 64 * 1024;

  private static final double MAX_AHEAD_SEC = 0.05;

  private final int batchBytes;
  /** Acquired and not received yet. */
  private long aheadBytes;
  private int packetBytes = PACKET_BYTES;

  /** @param batchBytes how much to acquire at once at a high rate; a packet may be longer */
  ReceiveAllowance(int batchBytes) {
    this.batchBytes = batchBytes;
  }

  /**
   * The bytes to acquire before the next packet; 0 or less if it may come.
   *
   * @param restBytes what the block still lacks
   * @param rateBytesPerSec the transfer's granted rate
   */
  int missingBytes(long restBytes, long rateBytesPerSec) {
    long next = Math.min(packetBytes, restBytes) - aheadBytes;
    long batch = Math.max(packetBytes, Math.min(batchBytes, (long) (MAX_AHEAD_SEC * rateBytesPerSec)));
    return (int) (next <= 0 ? next : Math.max(next, Math.min(batch, restBytes - aheadBytes)));
  }

  void acquired(int bytes) {
    aheadBytes += bytes;
  }

  void received(int bytes) {
    aheadBytes -= bytes;
    packetBytes = Math.max(packetBytes, bytes);
  }
}
