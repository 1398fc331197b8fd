/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.ipc;

import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import org.apache.hadoop.io.Writable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Whether a response is handed to Hadoop, which logs an ERROR for each one that it cannot send. */
class DeferredResponseTest {
  private boolean open = true;
  private int responses;
  private int errors;

  private DeferredResponse respondTo() {
    Server.getCurCall().set(new Server.Call(1, 0, null, null, RPC.RpcKind.RPC_PROTOCOL_BUFFER, new byte[0]) {
      @Override
      boolean isOpen() {
        return open;
      }

      @Override
      public void setDeferredResponse(Writable response) {
        responses++;
      }

      @Override
      public void setDeferredError(Throwable t) {
        errors++;
      }
    });
    return DeferredResponse.fromCurrentCall();
  }

  @AfterEach
  void end() {
    Server.getCurCall().remove();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void response_isGivenOnlyWhileTheCallerIsConnected(boolean connected) {
    DeferredResponse deferred = respondTo();
    open = connected;
    deferred.complete(AgentCommandsProto.getDefaultInstance());
    assertEquals(connected ? 1 : 0, responses);
    deferred.fail(new IllegalStateException("a test"));
    assertEquals(connected ? 1 : 0, errors);
  }
}
