/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.demo;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ObjectName;

/** Reads the bean that the NameNode plugin registers, the one that stands under {@code /jmx} too. Thread-safe. */
final class JmxTimeslotFeed implements TimeslotFeed {
  static final String BEAN = "Hadoop:service=NameNode,name=DayuStatus";
  private static final String[] ATTRIBUTES = {"State", "StateReason", "Timeslot", "LastPlanned", "LastRejected",
      "LastFinished", "TotalPlanned", "TotalRejected", "TotalFinished", "TotalFailed", "WaitingBlocks",
      "RunningTransfers", "RecoveredBytes", "ProgressBytes"};

  @Override
  public Status read() throws IOException {
    Map<String, Object> values = new HashMap<>();
    try {
      ManagementFactory.getPlatformMBeanServer().getAttributes(new ObjectName(BEAN), ATTRIBUTES).asList()
          .forEach((Attribute attribute) -> values.put(attribute.getName(), attribute.getValue()));
    } catch (InstanceNotFoundException e) {
      throw new IOException("the NameNode has no bean " + BEAN + ": the Dayu plugin did not start", e);
    } catch (JMException e) {
      throw new IOException("bean " + BEAN + " does not answer: " + e.getMessage(), e);
    }
    for (String name : ATTRIBUTES) {
      if (!values.containsKey(name)) {
        throw new IOException("bean " + BEAN + " has no attribute " + name);
      }
    }
    return new Status((String) values.get("State"), (String) values.get("StateReason"),
        new Timeslot(number(values, "Timeslot"), number(values, "LastPlanned"), number(values, "LastRejected"),
            number(values, "LastFinished")),
        new Totals(number(values, "TotalPlanned"), number(values, "TotalRejected"), number(values, "TotalFinished"),
            number(values, "TotalFailed"), number(values, "RecoveredBytes")),
        number(values, "WaitingBlocks"), number(values, "RunningTransfers"), number(values, "ProgressBytes"));
  }

  private static long number(Map<String, Object> values, String name) {
    return ((Number) values.get(name)).longValue();
  }
}
