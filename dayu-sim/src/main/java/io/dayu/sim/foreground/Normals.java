/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.foreground;

import io.dayu.sim.SeedMix;

/**
 * A seeded stream of pairs of independent standard normals (Box and Muller, 1958), the first pair drawn. Not
 * thread-safe.
 */
final class Normals {
  private long state;
  private double first;
  private double second;

  Normals(long seed) {
    state = seed;
    draw();
  }

  /** Draws the next pair. */
  void draw() {
    double radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    double angle = 2 * Math.PI * uniform();
    first = radius * Math.cos(angle);
    second = radius * Math.sin(angle);
  }

  double first() {
    return first;
  }

  double second() {
    return second;
  }

  double uniform() {
    state = SeedMix.next(state);
    return SeedMix.uniform(state);
  }
}
