/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

/** Sums at the end of a case, taken block by block and transfer by transfer. Immutable. */
record CaseTotals(Blocks blocks, Bytes bytes) {
  /**
   * How the blocks of the case ended.
   *
   * @param all blocks of the case
   * @param recovered of these, those that lack no copy
   * @param lost of these, those of which too few replicas are left
   * @param unfinished of these, those that lack a copy and have enough sources
   * @param recoveredBytes sizes of the recovered ones
   */
  record Blocks(int all, int recovered, int lost, int unfinished, long recoveredBytes) {
  }

  /**
   * What transfers moved.
   *
   * @param copied sizes of the copies that were finished
   * @param received for these copies: of a rebuild, all that it reads
   * @param partial received by transfers that are still under way
   * @param wasted received by transfers that were given up
   * @param partialSizes sizes of the blocks whose transfers are still under way
   * @param taken room that copies take on their targets, finished or not
   */
  record Bytes(long copied, long received, double partial, double wasted, long partialSizes, long taken) {
  }
}
