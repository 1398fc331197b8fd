/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * Chooses what a plan does next (ATC'19 §4.1, §4.2): which block ({@code TaskQueues}), from which source
 * ({@code SourceSelector}) to which target ({@code TargetSelector}), by the load that the plan has put on each node so
 * far ({@code NodeLoads}).
 *
 * <p>May import {@code java.util} and {@code io.dayu.model} only.
 */
package io.dayu.schedule.choice;
