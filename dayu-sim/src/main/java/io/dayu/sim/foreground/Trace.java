/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Traffic of some nodes as a file holds it, in the file's unit. Immutable by convention: the arrays are shared.
 *
 * @param nodes names of the nodes
 * @param in what each received, by [node][slot]
 * @param out what each sent
 * @param slotMs length of a slot, or 0 if the file does not say
 * @param start when slot 0 begins, or null if the file does not say
 */
public record Trace(List<String> nodes, float[][] in, float[][] out, long slotMs, Instant start) {

  /** For a file that says neither the length of its slots nor when it begins. */
  public Trace(List<String> nodes, float[][] in, float[][] out) {
    this(nodes, in, out, 0, null);
  }

  public int slots() {
    return in[0].length;
  }

  /** The nodes that send at least this on average. */
  public Trace busierThan(double meanOut) {
    return only(IntStream.range(0, nodes.size()).filter(node -> mean(out[node]) >= meanOut).toArray());
  }

  /** These nodes alone. */
  public Trace only(int[] kept) {
    return new Trace(Arrays.stream(kept).mapToObj(nodes::get).toList(), pick(in, kept), pick(out, kept), slotMs, start);
  }

  private static float[][] pick(float[][] rows, int[] kept) {
    float[][] picked = new float[kept.length][];
    for (int i = 0; i < kept.length; i++) {
      picked[i] = rows[kept[i]];
    }
    return picked;
  }

  private static double mean(float[] values) {
    double sum = 0;
    for (float value : values) {
      sum += value;
    }
    return sum / values.length;
  }
}
