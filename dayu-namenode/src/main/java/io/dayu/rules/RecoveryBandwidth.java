/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.rules;

/**
 * What recovery may use of a link (ATC'19 §2.1, equation 1): B_recover = max(α·B_total − B_foreground, B_min), but
 * never more than α·B_total. Immutable.
 *
 * <p>Unlike in the paper, B_min yields to foreground: it is at most what foreground leaves of B_total, so that no plan
 * relies on bandwidth that is not there. A floor of {@link #FLOOR_SHARE} remains, so that a block whose every holder is
 * busy is not starved.
 *
 * @param maxUtilization α
 * @param minYields whether B_min yields
 */
public record RecoveryBandwidth(double maxUtilization, boolean minYields) {
  /** Share of B_total that B_min does not yield. */
  private static final double FLOOR_SHARE = 0.04;

  public RecoveryBandwidth {
    if (!(maxUtilization > 0 && maxUtilization <= 1)) {
      throw new IllegalArgumentException("alpha = " + maxUtilization + ", expected above 0 and at most 1");
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
    double max = maxUtilization * total;
    double yielded = minYields ? Math.min(min, Math.max(total - foreground, FLOOR_SHARE * total)) : min;
    return (long) Math.min(max, Math.max(max - foreground, yielded));
  }
}
