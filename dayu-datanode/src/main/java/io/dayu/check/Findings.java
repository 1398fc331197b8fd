/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.check;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What a check has found: faults, which must be mended, and notes, which need not. Not thread-safe. */
final class Findings {
  private final Set<String> faults = new LinkedHashSet<>();
  private final Set<String> notes = new LinkedHashSet<>();

  void fault(String line) {
    faults.add(line);
  }

  void note(String line) {
    notes.add(line);
  }

  /** One line for each, in the order in which they were found, none twice. */
  List<String> faults() {
    return new ArrayList<>(faults);
  }

  List<String> notes() {
    return new ArrayList<>(notes);
  }
}
