/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

/**
 * How a link is shared physically. Immutable.
 *
 * @param fair whether clients and recovery share a full link as TCP flows do; else clients go first
 * @param foregroundFlows number of clients' flows on a link that clients fill. On a link that they use in part there
 *     are proportionally fewer. Only if fair
 * @param foregroundFlowBytes size of a client's operation. Foreground that has to wait adds one flow for each
 *     operation, since clients do not wait for each other. Only if fair
 */
public record LinkPhysics(boolean fair, double foregroundFlows, double foregroundFlowBytes) {
  /** Clients go first, as in the paper's simulation. */
  public static final LinkPhysics PRIORITY = new LinkPhysics(false, 10, Double.POSITIVE_INFINITY);
  /** Bytes on a real link for a byte of a block: checksums of 4 for each 512, and headers of 66 for each 1448. */
  public static final double WIRE_BYTES_PER_BLOCK_BYTE = (1 + 4.0 / 512) * (1 + 66.0 / 1448);
  /** A transfer that is granted no more than this has not begun: it is no flow. */
  public static final long QUEUED_BYTES_PER_SEC = 1;
  /** Even on a link that clients fill, a TCP flow gets something. */
  private static final double MIN_SHARE = 0.02;

  public LinkPhysics {
    if (!(foregroundFlows > 0)) {
      throw new IllegalArgumentException("foreground flows = " + foregroundFlows + ", expected above 0");
    }
    if (!(foregroundFlowBytes > 0)) {
      throw new IllegalArgumentException("bytes of a foreground flow = " + foregroundFlowBytes + ", expected above 0");
    }
  }

  /** The same number of flows, however much waits. */
  public LinkPhysics(boolean fair, double foregroundFlows) {
    this(fair, foregroundFlows, Double.POSITIVE_INFINITY);
  }

  /**
   * What recovery can have of a link.
   *
   * @param waitingBytes of the foreground that did not fit before
   * @param recoveryFlows that want something of it
   */
  double leftBytesPerSec(double linkBytesPerSec, double foregroundBytesPerSec, double waitingBytes,
      int recoveryFlows) {
    double left = Math.max(MIN_SHARE * linkBytesPerSec, linkBytesPerSec - foregroundBytesPerSec);
    if (!fair || recoveryFlows == 0) {
      return left;
    }
    double clients = foregroundFlows * foregroundBytesPerSec / linkBytesPerSec + waitingBytes / foregroundFlowBytes;
    return Math.max(left, linkBytesPerSec * recoveryFlows / (recoveryFlows + clients));
  }
}
