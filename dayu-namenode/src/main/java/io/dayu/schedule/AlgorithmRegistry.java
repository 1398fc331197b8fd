/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.schedule;

import io.dayu.schedule.paper.HullSelector;
import io.dayu.schedule.paper.IterativeWss;
import io.dayu.schedule.paper.LastReport;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The algorithms that {@code dayu.scheduler.algorithm} chooses from: Dayu's, which is the default, the paper's, and any
 * other by the name of its {@link AlgorithmProvider}. Stateless.
 */
public final class AlgorithmRegistry {
  private static final Map<String, PlanningAlgorithm> OWN = new LinkedHashMap<>();

  static {
    OWN.put("dayu", new PlanningAlgorithm(DayuScheduler::new));
    OWN.put("paper", new PlanningAlgorithm(AlgorithmRegistry::paper, LastReport::new, true, false));
  }

  private AlgorithmRegistry() {
  }

  private static DayuScheduler paper() {
    return new DayuScheduler("paper", new HullSelector(), new IterativeWss(IterativeWss.PAPER_ITERATIONS));
  }

  /** The words for {@link #named}; the first is the default. */
  public static List<String> names() {
    return List.copyOf(OWN.keySet());
  }

  /**
   * The algorithm.
   *
   * @param name one of {@link #names}, or the full name of an {@link AlgorithmProvider}
   * @param loader knows the provider
   * @throws IllegalArgumentException with one line that says what is expected, if there is none of this name
   */
  public static PlanningAlgorithm named(String name, ClassLoader loader) {
    PlanningAlgorithm own = OWN.get(name);
    if (own != null) {
      return own;
    }
    try {
      Class<? extends AlgorithmProvider> type =
          Class.forName(name, true, loader).asSubclass(AlgorithmProvider.class);
      AlgorithmProvider provider = (AlgorithmProvider) MethodHandles.publicLookup()
          .findConstructor(type, MethodType.methodType(void.class)).invoke();
      return provider.algorithm();
    } catch (Throwable e) {
      throw new IllegalArgumentException("no algorithm '" + name + "': expected " + String.join(", ", names())
          + " or a public class that implements " + AlgorithmProvider.class.getName()
          + " and has a public constructor without parameters ("
          + e + ")", e);
    }
  }
}
