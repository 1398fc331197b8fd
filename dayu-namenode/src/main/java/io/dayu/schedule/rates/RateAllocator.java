/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule.rates;

/**
 * Divides the capacity of links among the transfers that cross them (ATC'19 §4.3). Not thread-safe; the same question
 * always gets the same answer.
 */
public interface RateAllocator {

  /** The name by which settings and reports call this algorithm. */
  String name();

  /**
   * Gives every transfer a constant rate, such that no link carries more than its capacity. A transfer gets at least 1
   * byte a second unless one of its links has fewer bytes a second than transfers; then some get 0.
   *
   * @param transfers the transfers and the links that they cross
   * @param rateBytesPerSec is filled with the answer, by transfer
   */
  void allocate(TransferLinks transfers, long[] rateBytesPerSec);
}
