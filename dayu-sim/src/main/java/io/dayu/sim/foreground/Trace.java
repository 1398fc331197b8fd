/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

import java.util.List;

/**
 * Traffic of some nodes as a file holds it, in the file's unit. Immutable by convention: the arrays are shared.
 *
 * @param nodes names of the nodes
 * @param in what each received, by [node][slot]
 * @param out what each sent
 */
public record Trace(List<String> nodes, float[][] in, float[][] out) {

  public int slots() {
    return in[0].length;
  }

  /** The nodes that send at least this on average. */
  public Trace busierThan(double meanOut) {
    int[] kept = java.util.stream.IntStream.range(0, nodes.size()).filter(node -> mean(out[node]) >= meanOut).toArray();
    List<String> names = java.util.Arrays.stream(kept).mapToObj(nodes::get).toList();
    return new Trace(names, pick(in, kept), pick(out, kept));
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
