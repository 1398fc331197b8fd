/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.figures;

import io.dayu.paper.study.CaseSpec;
import io.dayu.paper.study.Study;

import java.util.List;

/** Makes one figure, or several from the same numbers. Implementations are immutable. */
public interface FigureSource {

  /** Names of its figures, in order. */
  List<String> ids();

  /** The recoveries that it shows. */
  List<CaseSpec> cases(Study study);

  /** The figures, when all these cases have been run. */
  List<Figure> make(Study study);
}
