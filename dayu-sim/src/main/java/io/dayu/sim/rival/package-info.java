/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * Other ways to choose targets, sources and rates, which Dayu's are compared with (ATC'19 §5): a scan of all nodes, a
 * red-black tree, chance, rates by deadline. {@code Rivals} has them and the product's own by name.
 *
 * <p>May import {@code java.util} and the core ({@code io.dayu.model}, {@code io.dayu.schedule}).
 */
package io.dayu.sim.rival;
