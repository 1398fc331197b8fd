/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.schedule;

/**
 * What recovery may use of a link (ATC'19 §2.1, equation 1): B_recover = max(α·B_total − B_foreground, B_min). Immutable.
 *
 * <p>Unlike the paper's, B_min is bounded by what foreground leaves of B_total: no plan should rely on bandwidth that is not there. A small floor
 * remains, so that a block whose every holder is busy is not starved.
 *
 * @param maxUtilization α
 * @param minFloor share of B_total to which foreground may reduce B_min; 1 = B_min holds whatever the foreground, as in
 *     the paper
 */
public record RecoveryBandwidth(double maxUtilization, double minFloor) {

  public RecoveryBandwidth {
    if (!(maxUtilization > 0 && maxUtilization <= 1)) {
      throw new IllegalArgumentException("alpha = " + maxUtilization + ", expected above 0 and at most 1");
    }
    if (!(minFloor >= 0 && minFloor <= 1)) {
      throw new IllegalArgumentException("minFloor = " + minFloor + ", expected 0 to 1");
    }
  }

  /**
   * B_recover, all in bytes a second.
   *
   * @param total B_total
   * @param foreground B_foreground
   * @param min B_min
   */
  public long bytesPerSec(long total, long foreground, double min) {
    double most = maxUtilization * total;
    double left = Math.max(total - foreground, minFloor * total);
    return (long) Math.min(most, Math.max(most - foreground, Math.min(min, left)));
  }
}
