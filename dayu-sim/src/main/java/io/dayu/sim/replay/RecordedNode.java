/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.replay;

import java.util.Arrays;

/** A DataNode of a journal, with the foreground that its agent reported. Filled, then read; not thread-safe. */
public final class RecordedNode {
  private final String name;
  private String rack;
  private boolean accepts;
  private long inBytesPerSec;
  private long outBytesPerSec;
  private int loads;
  private long[] loadMs = new long[8];
  private long[] loadIn = new long[8];
  private long[] loadOut = new long[8];

  RecordedNode(String name) {
    this.name = name;
  }

  void describe(String itsRack, boolean itAccepts, long itsInBytesPerSec, long itsOutBytesPerSec) {
    rack = itsRack;
    accepts = itAccepts;
    if (itsInBytesPerSec > 0 && itsOutBytesPerSec > 0) {
      inBytesPerSec = itsInBytesPerSec;
      outBytesPerSec = itsOutBytesPerSec;
    }
  }

  void load(long atMs, long in, long out) {
    if (loads == loadMs.length) {
      loadMs = Arrays.copyOf(loadMs, 2 * loads);
      loadIn = Arrays.copyOf(loadIn, 2 * loads);
      loadOut = Arrays.copyOf(loadOut, 2 * loads);
    }
    loadMs[loads] = loads == 0 ? atMs : Math.max(atMs, loadMs[loads - 1]);
    loadIn[loads] = in;
    loadOut[loads++] = out;
  }

  public String name() {
    return name;
  }

  public String rack() {
    return rack;
  }

  public boolean accepts() {
    return accepts;
  }

  /** B_total, the lesser of both directions; 0 if no agent has said it. */
  public long bytesPerSec() {
    return Math.min(inBytesPerSec, outBytesPerSec);
  }

  public int loads() {
    return loads;
  }

  /** Foreground that it received at a moment: by its last report then, or its first one before that. */
  long inBytesPerSec(long atMs) {
    return loads == 0 ? 0 : loadIn[loadAt(atMs)];
  }

  long outBytesPerSec(long atMs) {
    return loads == 0 ? 0 : loadOut[loadAt(atMs)];
  }

  private int loadAt(long atMs) {
    int found = Arrays.binarySearch(loadMs, 0, loads, atMs);
    return Math.max(0, found >= 0 ? found : -found - 2);
  }
}
