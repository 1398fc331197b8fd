/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The outcome of one mode with one seed. Immutable.
 *
 * @param result empty if it failed before there was anything to measure
 * @param proof what was verified and what Dayu counted, by name
 * @param failures what was not as it should be, in words for the screen
 */
record Outcome(Mode mode, long seed, Optional<ModeResult> result, Map<String, Object> proof, List<String> failures) {
  Outcome {
    proof = Collections.unmodifiableMap(new LinkedHashMap<>(proof));
    failures = List.copyOf(failures);
  }

  static Outcome of(ModeResult result, Map<String, Object> proof, List<String> failures) {
    return new Outcome(result.mode(), result.seed(), Optional.of(result), proof, failures);
  }

  static Outcome notMeasured(Mode mode, long seed, String reason) {
    return new Outcome(mode, seed, Optional.empty(), Map.of(), List.of("nothing was measured: " + reason));
  }

  boolean failed() {
    return !failures.isEmpty();
  }

  /** Each failure with the mode and the seed that it happened to. */
  List<String> namedFailures() {
    return failures.stream().map(failure -> mode.id() + ", seed " + seed + ": " + failure).toList();
  }
}
