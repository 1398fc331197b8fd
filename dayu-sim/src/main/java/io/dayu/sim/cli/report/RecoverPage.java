/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.cli.report;

import io.dayu.sim.plot.HtmlPage;

import java.util.List;
import java.util.stream.Stream;

/** What {@code recover} has found so far as a page of HTML. Stateless. */
public final class RecoverPage {
  private RecoverPage() {
  }

  /** @param remarks on the inputs */
  public static String of(RecoverReport report, List<String> remarks, String command) {
    return HtmlPage.of("Recovery, simulated", command, report.plot(),
        Stream.concat(remarks.stream(), report.table().lines()).toList(), report.cases());
  }
}
