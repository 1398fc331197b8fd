/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

/**
 * Anybody's algorithm: a public class with a public constructor without parameters that implements this. Put its jar on
 * the NameNodes' class path and its full name into {@code dayu.scheduler.algorithm}; the simulator takes the same name
 * for {@code --algorithm}. Stateless; asked once for each start of a NameNode and for each simulated recovery.
 */
public interface AlgorithmProvider {
  PlanningAlgorithm algorithm();
}
