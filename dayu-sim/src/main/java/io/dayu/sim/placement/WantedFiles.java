/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

/**
 * Which files of a listing are read. Immutable and thread-safe.
 *
 * @param replicated whether replicated files are
 * @param everyCode whether files with groups of every code are
 * @param code else the only code whose files are; null if none are
 */
public record WantedFiles(boolean replicated, boolean everyCode, ErasureCode code) {
  /** Replicated files. */
  public static final WantedFiles REPLICATED = new WantedFiles(true, false, null);
  /** Replicated files and those with groups. */
  public static final WantedFiles ALL = new WantedFiles(true, true, null);

  /** Files with groups of this code, of policies with any size of a cell. */
  public static WantedFiles of(ErasureCode code) {
    return new WantedFiles(false, false, code);
  }

  boolean withGroups() {
    return everyCode || code != null;
  }

  /** The code of a policy whose files are read; null if they are not, or if its name does not tell. */
  ErasureCode codeOf(String policy) {
    ErasureCode named = ErasureCode.ofPolicy(policy);
    boolean read = everyCode || named != null && named.equals(code);
    return read ? named : null;
  }
}
