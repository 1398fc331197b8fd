/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.experiment;

import java.util.concurrent.ConcurrentHashMap;

/**
 * The failures of an experiment, each made once although several algorithms recover it at the same time. Thread-safe.
 */
public final class SharedFailures {
  private final Experiment experiment;
  private final ConcurrentHashMap<Integer, Experiment.Failure> made = new ConcurrentHashMap<>();

  public SharedFailures(Experiment experiment) {
    this.experiment = experiment;
  }

  public Experiment.Failure get(int index) {
    return made.computeIfAbsent(index, experiment::failure);
  }

  /** Lets go of a failure that is not needed again. */
  public void drop(int index) {
    made.remove(index);
  }
}
