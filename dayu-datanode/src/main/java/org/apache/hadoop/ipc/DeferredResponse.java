/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.ipc;

import org.apache.hadoop.thirdparty.protobuf.Message;

/**
 * The response to a call, given later and by another thread than the handler's ({@link RpcWritable#wrap(Object)} and
 * {@code Server.Call.isOpen} are package-private).
 *
 * <p>A caller that has closed its connection meanwhile gets none: Hadoop would log an ERROR for each, and a DataNode
 * that dies closes the connection of its agent.
 *
 * <p>This is not {@link ProtobufRpcEngineCallback2}: in Hadoop 3.5 that counts the whole wait as processing, in slow
 * calls, in RpcProcessingTime and in the caller's cost in the call queue's scheduler, although no thread worked.
 */
public final class DeferredResponse {
  private final Server.Call call;

  private DeferredResponse(Server.Call call) {
    this.call = call;
  }

  /** The response to the call that this thread handles. The message that the call's method returns is not sent. */
  public static DeferredResponse fromCurrentCall() {
    Server.Call call = Server.getCurCall().get();
    call.deferResponse();
    return new DeferredResponse(call);
  }

  public void complete(Message response) {
    if (call.isOpen()) {
      call.setDeferredResponse(RpcWritable.wrap(response));
    }
  }

  public void fail(Throwable e) {
    if (call.isOpen()) {
      call.setDeferredError(e);
    }
  }
}
