/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The shape of an erasure coding policy of HDFS. Which code it is does not matter to recovery: any k of the k + m
 * internal blocks make the others.
 *
 * @param dataUnits k
 * @param parityUnits m
 */
public record ErasureCode(int dataUnits, int parityUnits) {
  private static final long DEFAULT_CELL_BYTES = 1 << 20;
  private static final Pattern NAME = Pattern.compile("(rs|rs-legacy|xor)-(\\d{1,2})-(\\d{1,2})(-\\d+k)?");

  /**
   * Reads a name as HDFS has it, such as {@code RS-6-3-1024k}, in capitals or not and with the size of a cell or not.
   *
   * @throws IllegalArgumentException saying what is expected
   */
  public static ErasureCode parse(String name) {
    Matcher matcher = NAME.matcher(name.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException(name + ", expected rs-6-3, rs-3-2, rs-10-4, xor-2-1 or the like");
    }
    int data = Integer.parseInt(matcher.group(2));
    int parity = Integer.parseInt(matcher.group(3));
    if (data < 2 || parity < 1) {
      throw new IllegalArgumentException(name + ", expected at least 2 data units and 1 parity unit");
    }
    return new ErasureCode(data, parity);
  }

  /** The code of a policy, with cells of any size; null for one of the cluster's own, with a name of any kind. */
  static ErasureCode ofPolicy(String name) {
    try {
      return parse(name);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Whether a policy with this name has this code, with cells of any size. */
  public boolean isOf(String policy) {
    return equals(ofPolicy(policy));
  }

  /** The size of a cell by the name of a policy; that of HDFS's own, 1 MB, where the name has none. */
  static long cellBytes(String policy) {
    Matcher matcher = NAME.matcher(policy.toLowerCase(Locale.ROOT));
    return !matcher.matches() || matcher.group(4) == null ? DEFAULT_CELL_BYTES
        : 1024 * Long.parseLong(matcher.group(4).substring(1, matcher.group(4).length() - 1));
  }

  /** Data blocks of a group of so many bytes: fewer than data units if it is shorter than a stripe. */
  int dataBlocks(long groupBytes, long cellBytes) {
    return (int) Math.max(1, Math.min(dataUnits, (groupBytes + cellBytes - 1) / cellBytes));
  }

  /** Internal blocks of a group. */
  public int units() {
    return dataUnits + parityUnits;
  }
}
