/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.figures;

/**
 * Something that the paper says, and what was found. Immutable.
 *
 * @param what one line
 * @param paper its value or order
 * @param ours the value found
 * @param verdict whether it was found again
 * @param why if it was not, what makes the difference; may be empty
 */
public record Claim(String what, String paper, String ours, Verdict verdict, String why) {

  public Claim(String what, String paper, String ours, Verdict verdict) {
    this(what, paper, ours, verdict, "");
  }

  /** The explanation, where one is called for. */
  public String shownWhy() {
    return verdict == Verdict.YES ? "" : why;
  }
}
