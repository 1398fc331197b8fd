/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

/**
 * What an incident lost, and how near to loss the rest was. Immutable: callers do not change the array.
 *
 * @param lostBlocks of which no node that is there has a replica at the end; groups of which fewer than k have
 * @param lostBytes of these
 * @param oneReplicaBlockSec time that blocks had one replica, or groups k internal blocks, the sum over the blocks
 * @param exposedNodeSec time in which the loss of a node would have lost a block for good, the sum over such nodes:
 *     times the rate at which nodes fail it is the chance of a loss
 * @param lackingBlockSec time that blocks that could be recovered lacked one copy, two, three, and four or more
 */
public record LossAndRisk(int lostBlocks, long lostBytes, double oneReplicaBlockSec, double exposedNodeSec,
    double[] lackingBlockSec) {
}
