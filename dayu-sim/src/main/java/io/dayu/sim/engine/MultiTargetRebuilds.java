/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.engine;

/**
 * A scheduler of which one rebuild makes all that a group lacks. Its snapshots say how many internal blocks these are.
 * Several new transfers of a row, one after another in its plan, are one rebuild: the first target reads the sources,
 * and the others get their internal blocks from it.
 *
 * <p>A scheduler that wraps such a one must have this type, too, or its rebuilds make one internal block each.
 */
public interface MultiTargetRebuilds {
}
