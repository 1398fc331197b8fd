/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.load;

/**
 * What the clients do, for any number of nodes. Immutable.
 *
 * @param seed decides every arrival, file, piece and node
 * @param bandwidthBytesPerSec what a node's network carries in each direction
 * @param outgoingUtilization the fraction of it that leaves a node, as a mean over nodes: reads, and copies passed on
 *     within pipelines
 * @param incomingUtilization the same for what arrives at a node: writes
 * @param coefficientOfVariation of the nodes' traffic at any moment, in each direction
 * @param regimeMs how long the nodes' shares stay as they are
 * @param jumpProbability how likely it is that a node's share is drawn anew when the regime changes, instead of
 *     drifting
 * @param filesPerNode how many files are read from each node
 * @param fileBytes length of each file that is read; a multiple of {@code readBytes}
 * @param readBytes length of one read
 * @param writeBytes length of a file that is written
 * @param replication of all files
 * @param maxClients how many operations may be under way at once
 * @param maxFilesWritten how many written files are kept; the oldest are deleted
 */
public record LoadProfile(long seed, long bandwidthBytesPerSec, double outgoingUtilization, double incomingUtilization,
    double coefficientOfVariation, long regimeMs, double jumpProbability, int filesPerNode, int fileBytes,
    int readBytes, int writeBytes, int replication, int maxClients, int maxFilesWritten) {

  public LoadProfile {
    require(bandwidthBytesPerSec > 0, "bandwidth above 0");
    require(outgoingUtilization > 0 && outgoingUtilization <= NodeShares.MAX_UTILIZATION,
        "outgoing utilization above 0 and up to " + NodeShares.MAX_UTILIZATION);
    require(incomingUtilization >= 0 && incomingUtilization <= NodeShares.MAX_UTILIZATION,
        "incoming utilization from 0 to " + NodeShares.MAX_UTILIZATION);
    require(coefficientOfVariation >= 0 && coefficientOfVariation <= 1, "coefficient of variation from 0 to 1");
    require(regimeMs > 0, "regimes longer than 0");
    require(jumpProbability >= 0 && jumpProbability <= 1, "jump probability from 0 to 1");
    require(filesPerNode > 0 && maxClients > 0 && maxFilesWritten > 0 && replication > 0, "counts above 0");
    require(readBytes > 0 && writeBytes > 0 && fileBytes > 0 && fileBytes % readBytes == 0, "a file of whole reads");
    require(outgoingUtilization > passedOn(incomingUtilization, replication),
        "outgoing utilization above what writes make nodes pass on within pipelines");
  }

  /** Starts from: 40 % in both directions, CoV 0.5, three replicas, reads and writes of 256 KiB. */
  public static LoadProfileBuilder of(long bandwidthBytesPerSec) {
    return new LoadProfileBuilder().bandwidthBytesPerSec(bandwidthBytesPerSec);
  }

  /**
   * A write of n bytes is n bytes into each of {@code replication} nodes, and n bytes out of all of these but the last.
   */
  private static double passedOn(double incoming, int replication) {
    return incoming * (replication - 1) / replication;
  }

  double passedOn(double incoming) {
    return passedOn(incoming, replication);
  }

  double writesPerSec(int nodes) {
    return incomingUtilization * nodes * bandwidthBytesPerSec / ((double) replication * writeBytes);
  }

  double readsPerSec(int nodes) {
    return (outgoingUtilization - passedOn(incomingUtilization)) * nodes * bandwidthBytesPerSec / readBytes;
  }

  int piecesPerFile() {
    return fileBytes / readBytes;
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException("a load needs " + what);
    }
  }
}
