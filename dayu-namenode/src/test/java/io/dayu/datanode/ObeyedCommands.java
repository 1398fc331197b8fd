/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.AgentCommandsProto;

import java.io.IOException;

/**
 * Which commands for a block pool an agent obeys, as the production classes decide it, for tests in another package.
 * Safe for use by all threads.
 */
public final class ObeyedCommands {
  private final AgentCommandsOrder order = new AgentCommandsOrder();

  /** As a reporter: throws for commands that are refused, and returns whether an agent obeys them. */
  public boolean accept(AgentCommandsProto commands, long arrivedNs, long nowNs) throws IOException {
    AgentCommandsCheck.check(commands);
    return order.accept(commands, arrivedNs, nowNs);
  }
}
