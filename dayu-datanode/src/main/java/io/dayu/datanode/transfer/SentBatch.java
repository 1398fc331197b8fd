/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

/**
 * What a sender of recovery has sent and not yet waited for. On a fast link it waits after several packets, since each
 * wait costs more CPU time than a packet. Pure arithmetic; not thread-safe.
 */
final class SentBatch {
  private final int maxBytes;
  private int owedBytes;
  /**
   * Grows from packet to packet: with full batches from the start, 16 senders that begin at once would fill a link for
   * 32 ms before the first one waits, and clients would.
   */
  private int thresholdBytes;

  /** @param maxBytes how much may be sent before the sender waits for it; a packet may be longer */
  SentBatch(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Takes note of a packet. Returns for how many bytes the sender is to wait now; 0 = it goes on.
   *
   * @param isLast whether nothing follows for now
   */
  int sent(int bytes, boolean isLast) {
    owedBytes += bytes;
    if (owedBytes < thresholdBytes && !isLast) {
      return 0;
    }
    int due = owedBytes;
    owedBytes = 0;
    thresholdBytes = Math.min(maxBytes, 2 * Math.min(maxBytes, due));
    return due;
  }
}
