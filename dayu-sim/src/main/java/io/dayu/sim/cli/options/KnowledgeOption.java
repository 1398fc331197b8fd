/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.options;

import io.dayu.sim.engine.Knowledge;

/** The values of {@code --knowledge}. */
public enum KnowledgeOption {
  LAST_REPORT("last-report", Knowledge.LAST_REPORT),
  CURRENT("current", Knowledge.CURRENT_SLOT);

  private final String word;
  private final Knowledge knowledge;

  KnowledgeOption(String word, Knowledge knowledge) {
    this.word = word;
    this.knowledge = knowledge;
  }

  public Knowledge knowledge() {
    return knowledge;
  }

  /** As users write it. */
  @Override
  public String toString() {
    return word;
  }

  /** For picocli. */
  public static final class Converter extends WordConverter<KnowledgeOption> {
    Converter() {
      super(values());
    }
  }
}
