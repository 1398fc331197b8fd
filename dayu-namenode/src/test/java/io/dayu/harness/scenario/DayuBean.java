/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.scenario;

import java.lang.management.ManagementFactory;
import java.util.Set;

import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * What Dayu says of itself under {@code /jmx}, as an admin's dashboard would read it; with two NameNodes, the active
 * one. Stateless.
 */
final class DayuBean {
  private static final String NAME = "Hadoop:service=NameNode,name=DayuStatus*";

  private DayuBean() {
  }

  /**
   * The totals of one NameNode since it became active.
   *
   * @param nameNode the bean of that NameNode; empty, if there is no Dayu
   * @param finished transfers that gave a block a replica
   * @param leftToStock blocks that Dayu left to stock HDFS
   */
  record Work(String nameNode, long finished, long leftToStock) {
    static Work now() throws JMException {
      return isThere() ? new Work(active().toString(), number("TotalFinished"), number("TotalHandedToStock"))
          : new Work("", 0, 0);
    }

    /** Since an earlier moment, or since the NameNode of now became active, if another one was then. */
    Work since(Work before) {
      return nameNode.equals(before.nameNode)
          ? new Work(nameNode, finished - before.finished, leftToStock - before.leftToStock) : this;
    }
  }

  static boolean isThere() throws JMException {
    return !names().isEmpty();
  }

  static String text(String attribute) throws JMException {
    return attribute(attribute).toString();
  }

  static long number(String attribute) throws JMException {
    return ((Number) attribute(attribute)).longValue();
  }

  static String describe() throws JMException {
    if (!isThere()) {
      return "no Dayu";
    }
    StringBuilder text =
        new StringBuilder("state ").append(text("State")).append(" (").append(text("StateReason")).append(')');
    for (String counter : new String[] {"LiveAgents", "TotalPlanned", "TotalRejected", "TotalFinished", "TotalFailed",
        "TotalHandedToStock", "WaitingBlocks", "RunningTransfers"}) {
      text.append(", ").append(counter).append(' ').append(number(counter));
    }
    return text.toString();
  }

  private static Set<ObjectName> names() throws JMException {
    return ManagementFactory.getPlatformMBeanServer().queryNames(new ObjectName(NAME), null);
  }

  private static Object attribute(String attribute) throws JMException {
    return ManagementFactory.getPlatformMBeanServer().getAttribute(active(), attribute);
  }

  private static ObjectName active() throws JMException {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName found = null;
    for (ObjectName name : names()) {
      if (found == null || !server.getAttribute(name, "State").equals("STANDBY")) {
        found = name;
      }
    }
    if (found == null) {
      throw new JMException("no bean " + NAME);
    }
    return found;
  }
}
