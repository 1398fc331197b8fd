/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

/**
 * Sums at the end of a case, taken block by block and transfer by transfer. Immutable.
 *
 * @param blocks all blocks of the case
 * @param recoveredBlocks of these, those that lack no copy
 * @param lostBlocks of these, those of which too few replicas are left
 * @param unfinishedBlocks of these, those that lack a copy and have enough sources
 * @param recoveredBytes sizes of the recovered blocks
 * @param copiedBytes sizes of the copies that were finished
 * @param receivedBytes received for these copies: of a rebuild, all that it reads
 * @param partialBytes received by transfers that are still under way
 * @param wastedBytes received by transfers that were given up
 * @param partialSizeBytes sizes of the blocks whose transfers are still under way
 * @param takenBytes room that copies take on their targets, finished or not
 */
record CaseTotals(int blocks, int recoveredBlocks, int lostBlocks, int unfinishedBlocks, long recoveredBytes,
    long copiedBytes, long receivedBytes, double partialBytes, double wastedBytes, long partialSizeBytes,
    long takenBytes) {
}
