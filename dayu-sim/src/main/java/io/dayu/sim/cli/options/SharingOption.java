/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.options;

import io.dayu.sim.engine.LinkPhysics;

/** The values of {@code --sharing}: who gets a full link. */
public enum SharingOption {
  PRIORITY("priority"),
  FAIR("fair");

  private final String word;

  SharingOption(String word) {
    this.word = word;
  }

  /** @param foregroundFlows flows that clients have on a link that they fill */
  public LinkPhysics physics(double foregroundFlows) {
    return new LinkPhysics(this == FAIR, foregroundFlows);
  }

  /** As users write it. */
  @Override
  public String toString() {
    return word;
  }

  /** For picocli. */
  public static final class Converter extends WordConverter<SharingOption> {
    Converter() {
      super(values());
    }
  }
}
