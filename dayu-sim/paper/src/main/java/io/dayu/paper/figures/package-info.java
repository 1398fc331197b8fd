/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The paper's figures made anew: of each the numbers first (CSV), then a plot, then what the paper says beside what was
 * found, with a verdict that is computed from the numbers.
 *
 * <p>May import {@code study}, the core and the simulator, except its commands.
 */
package io.dayu.paper.figures;
